// A value that comes into the midst of an ordered choice: no record is written, and whoever is at a page goes on there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, resource, type StartedService, service, start, text } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const ticketWith = (values: readonly string[]) =>
  resource('Ticket', {
    prefix: 'tkt',
    fields: { subject: text({ max: 50 }), priority: choice(values, { ordered: true }) },
    sort: ['priority'],
    actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['subject', 'priority'] } },
  })
const definitionWith = (values: readonly string[]) => {
  const Ticket = ticketWith(values)
  return service({
    resources: { User, Post, Comment, Ticket },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
    versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  })
}

interface Page {
  readonly data: readonly { readonly priority: string }[]
  readonly meta: { readonly next_cursor: string }
}
async function page({ url }: StartedService, query: string): Promise<Page> {
  const response = await fetch(`${url}/api/v2/tickets?sort=-priority&${query}`)
  assert.equal(response.status, 200)
  return (await response.json()) as Page
}
async function add({ url }: StartedService, ...priorities: readonly string[]): Promise<void> {
  for (const priority of priorities) {
    const body = JSON.stringify({ subject: 'S', priority })
    const headers = { 'Content-Type': 'application/json' }
    assert.equal((await fetch(`${url}/api/v2/tickets`, { method: 'POST', headers, body })).status, 201)
  }
}

async function during<T>(
  { url }: TestDatabase,
  values: readonly string[],
  work: (running: StartedService) => Promise<T>,
): Promise<T> {
  const environment = { DATABASE_URL: url, PORT: '0', NODE_ENV: 'test', LOG_LEVEL: 'off' }
  const running = await start(definitionWith(values), { environment })
  try {
    return await work(running)
  } finally {
    await running.stop()
  }
}
const prioritiesOf = ({ data }: Page) => data.map(({ priority }) => priority)

forEachEngine((engine) => {
  test('11.3.4 a page goes on where it was when the choice has another value', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const cursor = await during(database, ['ZERO', 'LOW', 'HIGH'], async (running) => {
      await add(running, 'HIGH', 'LOW', 'ZERO', 'HIGH')
      const { meta, ...first } = await page(running, 'limit=2')
      assert.deepEqual(prioritiesOf({ meta, ...first }), ['HIGH', 'HIGH'])
      return meta.next_cursor
    })
    await during(database, ['ZERO', 'LOW', 'MIDDLE', 'HIGH'], async (running) => {
      await add(running, 'MIDDLE')
      assert.deepEqual(prioritiesOf(await page(running, `limit=9&cursor=${cursor}`)), ['MIDDLE', 'LOW', 'ZERO'])
      assert.deepEqual(prioritiesOf(await page(running, 'limit=3')), ['HIGH', 'HIGH', 'MIDDLE'])
    })
  })
})
