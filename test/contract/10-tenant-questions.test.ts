// The most tenants that one question reads from: every kind of question that is about more than one record.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  arg,
  choice,
  integer,
  many,
  member,
  one,
  resource,
  route,
  type Service,
  service,
  signedIn,
  text,
  when,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { withService } from '../support/server/service.ts'

type Asking = Record<'list' | 'count' | 'sum', (...all: unknown[]) => Promise<unknown>>
const Team = resource('Team', {
  prefix: 'team',
  fields: { name: text({ max: 40 }), memberships: many('Membership', 'team'), tasks: many('Task', 'team') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER', 'HELPER']) },
  actions: { read: { allow: member('team') }, delete: { allow: signedIn } },
})
const Task = resource('Task', {
  prefix: 'task',
  within: 'team',
  fields: { team: one('Team'), title: text({ max: 40 }), size: integer({ min: 0 }) },
  where: ['title', 'size'],
  search: ['title'],
  summary: { by: ['title'], of: ['size'] },
  queries: { sized: { allow: signedIn, args: { size: integer() }, where: when({ size: arg('size') }) } },
  actions: {
    read: { allow: member('team') },
    update: {
      allow: member('team'),
      accept: ['title'],
      effect: async ({ input, records }: { input: { title?: string }; records: Asking }) => {
        if (input.title === 'list') await records.list(Task)
        if (input.title === 'count') await records.count(Task)
        if (input.title === 'sum') await records.sum(Task, 'size')
      },
    },
  },
} as never)
const definition = service({
  resources: { User, Team, Membership, Task },
  accounts,
  roles: { ANY: {} },
} as never) as Service<unknown>

const code = route('GET', '/api/v1/code', {
  summary: 'Ask from code',
  access: signedIn,
  query: { question: choice(['list', 'count', 'sum']) },
  answer: { value: text({ max: 40 }) },
  handle: async ({ query, records }) => {
    const tasks = records as never as Asking
    const value = query.question === 'list' ? 'listed' : query.question === 'count' ? await tasks.count(Task) : 0
    if (query.question === 'list') await tasks.list(Task)
    return { value: String(query.question === 'sum' ? await tasks.sum(Task, 'size') : value) }
  },
})

const people = {
  ann: { User: {} },
  ben: { User: {} },
  red: { Team: { name: 'red' } },
  blue: { Team: { name: 'blue' } },
  inRed: { Membership: { team: '{red}', user: '{ann}', role: 'OWNER' } },
  inBlue: { Membership: { team: '{blue}', user: '{ann}', role: 'OWNER' } },
  ofBen: { Membership: { team: '{red}', user: '{ben}', role: 'HELPER' } },
  first: { Task: { team: '{red}', title: 'first', size: 3 } },
} as const

const gathered = [
  '/tasks',
  '/tasks?limit=1',
  '/tasks?page=3',
  '/tasks?q=first',
  '/tasks?q=nothing',
  '/tasks?where=size > 1',
  '/tasks?where=size > 100',
  '/tasks/sized?size=3',
  '/tasks/summary',
  '/tasks/summary?group_by=title',
  '/tasks/summary?group_by=title&sort=-count&limit=1',
  '/tasks/summary?where=size > 1',
  '/tasks/summary?q=first',
  '/code?question=list',
  '/code?question=count',
  '/code?question=sum',
]
const gatheredByGraphql = [
  '{ tasks { nodes { id } } }',
  '{ tasks { totalCount } }',
  '{ taskList { id } }',
  '{ sizedTasks(size: 3) { nodes { id } } }',
  '{ tasks(search: "first") { totalCount } }',
  '{ taskSummary { nodes { count } } }',
  '{ taskSummary(groupBy: [TITLE], where: { size: { gt: 1 } }) { nodes { title count sum { size } } } }',
]

withService(
  '10.2 Questions about tenants',
  (running) => {
    const open = async () => {
      const fixtures = running().fixtures(people)
      for (const name of Object.keys(people)) await fixtures.idOf(name as keyof typeof people)
      return fixtures
    }
    const read = async (path: string, as: '{ann}' | '{ben}', fixtures: Fixtures) => {
      const [at, query] = path.split('?')
      const sent = query === undefined ? '' : `?${query.replaceAll(' ', '%20')}`
      const { status, body } = await running().send(`GET /api/v1${at}${sent}`, { as, fixtures })
      return [status, body.error?.details?.[0]?.field ?? null] as const
    }
    const ask = async (text: string, as: '{ann}' | '{ben}', fixtures: Fixtures) => {
      const { body } = await running().graphql(text, { as, fixtures })
      return [body.errors?.[0].extensions.code ?? null, body.errors?.[0].extensions.details?.[0].field ?? null] as const
    }

    test('10.2.16 no question is gathered from more tenants, whatever its form', async () => {
      const fixtures = await open()
      for (const path of gathered) {
        const field = path.startsWith('/code') ? 'team' : 'team_id'
        assert.deepEqual(await read(path, '{ann}', fixtures), [400, field], path)
        assert.deepEqual(await read(path, '{ben}', fixtures), [200, null], path)
      }
      for (const text of gatheredByGraphql) {
        assert.deepEqual(await ask(text, '{ann}', fixtures), ['VALIDATION_ERROR', 'teamId'], text)
        assert.deepEqual(await ask(text, '{ben}', fixtures), [null, null], text)
      }
    })

    test('10.2.16 one that names its tenant, or is within one record, is answered', async () => {
      const fixtures = await open()
      for (const path of gathered.filter((each) => !each.startsWith('/code'))) {
        const named = `${path}${path.includes('?') ? '&' : '?'}team_id=${await fixtures.idOf('red')}`
        assert.deepEqual(await read(named, '{ann}', fixtures), [200, null], named)
      }
      const red = await fixtures.idOf('red')
      const [node] = [`{ team(id: "${red}") { tasks { title } } }`]
      assert.deepEqual(await ask(node!, '{ann}', fixtures), [null, null])
      const summary = await running().send(`GET /api/v1/tasks/summary?team_id=${red}`, { as: '{ann}', fixtures })
      assert.deepEqual(summary.body.data, [
        { count: 1, sum: { size: '3' }, avg: { size: '3.000000' }, min: { size: 3 }, max: { size: 3 } },
      ])
    })

    test('10.2.16 so are queries of an effect, for the caller of its action', async () => {
      const fixtures = await open()
      for (const title of ['list', 'count', 'sum']) {
        const change = (as: '{ann}' | '{ben}') =>
          running().send('PATCH /api/v1/tasks/{first}', { as, fixtures, body: { title } })
        const refused = await change('{ann}')
        assert.deepEqual([refused.status, refused.body.error?.details?.[0].field], [400, 'team'], title)
        assert.equal((await change('{ben}')).status, 200, title)
      }
      const plain = { as: '{ann}', fixtures, body: { title: 'plain' } } as const
      assert.equal((await running().send('PATCH /api/v1/tasks/{first}', plain)).status, 200)
    })
  },
  { definition, routes: [code as never], limits: { listTenants: 1 } },
)
