// The helpdesk with two companies, and API keys that belong to them. Ann owns one, and is a customer of the other, which Ben owns.

import assert from 'node:assert/strict'
import type { Caller, Question, TestService } from '../server/service.ts'
import { type FaceName, faceNames, speak, type Told, type Voice } from './both-faces.ts'
import type { Sending } from './http-client.ts'

const companies = {
  ann: { User: {} },
  ben: { User: {} },
  agent: { User: {} },
  customer: { User: {} },
  support: { User: { role: 'SUPPORT' } },
  admin: { User: { role: 'ADMIN' } },
  one: { Organization: { name: 'One' } },
  two: { Organization: { name: 'Two' } },
  annOwns: { Membership: { organization: '{one}', user: '{ann}', role: 'OWNER' } },
  annBuys: { Membership: { organization: '{two}', user: '{ann}', role: 'CUSTOMER' } },
  benOwns: { Membership: { organization: '{two}', user: '{ben}', role: 'OWNER' } },
  agentWorks: { Membership: { organization: '{one}', user: '{agent}', role: 'AGENT' } },
  customerBuys: { Membership: { organization: '{one}', user: '{customer}', role: 'CUSTOMER' } },
  mine: { Ticket: { organization: '{one}', number: 1, subject: 'mine', requester: '{customer}' } },
  others: { Ticket: { organization: '{one}', number: 2, subject: 'others', requester: '{ann}' } },
  elsewhere: { Ticket: { organization: '{two}', number: 1, subject: 'elsewhere', requester: '{ann}' } },
  task: { Task: { organization: '{one}', title: 'task', owner: '{ann}' } },
} as const
type Name = keyof typeof companies

/** What is shown to be somebody. */
export interface Holder {
  readonly headers: NonNullable<Sending['headers']>
}
export interface Key extends Holder {
  readonly id: string
  readonly key: string
}
/** Somebody who speaks through one face. */
export interface Face extends Holder {
  readonly voice: Voice
}

export async function office(service: TestService) {
  const fixtures = service.fixtures(companies)
  const names = Object.keys(companies) as Name[]
  const ids = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await fixtures.idOf(name)] as const)),
  ) as Record<Name, string>
  const questionOf = (who: string | Holder): Question & { readonly as: Caller } => ({
    fixtures,
    ...(typeof who === 'string'
      ? { as: who === 'anonymous' ? 'anonymous' : `{${who}}` }
      : { as: 'anonymous', headers: who.headers }),
  })
  const holder = (face: FaceName, who: string | Holder): Face => {
    const question = questionOf(who)
    return { voice: speak(face, service, question), headers: question.headers ?? {} }
  }
  const as = (who: string, face: FaceName = 'REST') => holder(face, who)
  const ask = (who: string | Holder, line: string, body?: object) =>
    service.send(line, { ...questionOf(who), ...(body === undefined ? {} : { body }) })

  /** Makes a key as somebody; `more` names a tenant, as REST does. */
  async function tryKey(face: FaceName, who: string, more: object): Promise<Told> {
    const input = { name: 'K', scopes: ['*'], ...more }
    const camel = Object.fromEntries(Object.entries(input).map(([name, value]) => [name.replace('_id', 'Id'), value]))
    return holder(face, who).voice.create('ApiKey', camel)
  }
  return {
    ids,
    as,
    ask,
    holder,
    tryKey,
    async makeKey(who: string, more: object): Promise<Key> {
      const { code, message, data } = await tryKey('REST', who, more)
      assert.equal(code, null, message)
      return { id: data.id, key: data.key, headers: { 'X-API-Key': data.key } }
    },
    /** The same of both faces, which must agree. */
    async each<T>(who: string | Holder, work: (face: Face) => Promise<T>): Promise<T> {
      const [rest, graphql] = [await work(holder(faceNames[0]!, who)), await work(holder(faceNames[1]!, who))]
      assert.deepEqual(graphql, rest)
      return rest
    },
    /** A project of the first company; whoever makes it leads it. */
    async makeProject(name: string, lead: Name = 'ann'): Promise<{ readonly id: string }> {
      const own = service.fixtures({
        project: { Project: { organization: ids.one, name } },
        seat: { Seat: { project: '{project}', user: ids[lead], role: 'LEAD' } },
      })
      await own.idOf('seat')
      return { id: await own.idOf('project') }
    },
    async join(project: string, who: Name, role: string): Promise<void> {
      await service.fixtures({ seat: { Seat: { project, user: ids[who], role } } }).idOf('seat')
    },
  }
}
