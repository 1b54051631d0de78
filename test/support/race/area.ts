// An area in an organization, for races two levels deep in a tenant, the instances that race, and what sends their requests.

import type { TestContext } from 'node:test'
import { choice, many, member, one, resource, type Service } from 'duet-api'
import type { Limits } from '../../../src/limits.ts'
import type { Client } from '../client/http-client.ts'
import { startInstance } from '../server/instance.ts'
import { startTestService, type TestService } from '../server/service.ts'

const define = resource as unknown as (name: string, definition: object) => never

/** The tenants of records that are within `area`. */
export function areaTenants() {
  const read = { read: { allow: member('organization') } }
  return {
    Organization: define('Organization', {
      prefix: 'org',
      fields: { memberships: many('Membership', 'organization') },
      members: { list: 'memberships', account: 'user', role: 'role' },
      actions: { read: { allow: member() } },
    }),
    Membership: define('Membership', {
      prefix: 'mem',
      within: 'organization',
      fields: { organization: one('Organization'), user: one('User'), role: choice(['OWNER']) },
      actions: read,
    }),
    Area: define('Area', {
      prefix: 'are',
      within: 'organization',
      fields: { organization: one('Organization') },
      actions: read,
    }),
  }
}

/** The id of an area of which the viewer is a member. */
export const areaOf = (main: TestService): Promise<string> => placeOf(main, 'area')

/** The id of an organization of which the viewer is a member. */
export const organizationOf = (main: TestService): Promise<string> => placeOf(main, 'organization')

async function placeOf(main: TestService, name: string): Promise<string> {
  const fixtures = main.fixtures({
    organization: { Organization: {} },
    membership: { Membership: { organization: '{organization}', user: '{viewer}', role: 'OWNER' } },
    area: { Area: { organization: '{organization}' } },
  })
  await fixtures.idOf('membership')
  return fixtures.idOf(name)
}

export type Send = (
  line: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string; readonly id: string }>

/** Sends as the viewer, to the instances in turn. */
export async function sender(main: TestService, clients: readonly Client[]): Promise<Send> {
  const token = await main.token(await main.fixtures().idOf('viewer'))
  const headers = { Authorization: `Bearer ${token}` }
  let next = 0
  return async (line, body) => {
    const [method, path] = line.split(' ')
    const client = clients[next++ % clients.length]!
    const sending = { headers, ...(body === undefined ? {} : { body }) }
    const { status, text, body: answer } = await client.send(`${method} /api/v1/${path}`, sending)
    return { status, text, id: answer?.data?.id }
  }
}

/** A service of one instance or two, until the test ends, and what sends to them in turn. */
export async function openInstances(
  t: TestContext,
  engine: TestService['engine'],
  instances: number,
  options: { readonly definition: Service<unknown>; readonly limits: Partial<Limits> },
): Promise<{ readonly main: TestService; readonly send: Send }> {
  const main = await startTestService(engine, options)
  const other = instances === 2 ? await startInstance(main, options) : null
  t.after(async () => {
    await other?.stop()
    await main.stop()
  })
  const send = await sender(main, [main.client, ...(other === null ? [] : [other.client])])
  return { main, send }
}
