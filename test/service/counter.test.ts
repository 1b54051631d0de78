// Counters that come to records which are there already: by a new definition, under a new name, in demo data.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, counter, integer, one, resource, type StartedService, service, start, text } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const actions = {
  read: { allow: anyone },
  create: { allow: anyone, accept: ['box', 'note'] },
  delete: { allow: anyone },
} as const
const Box = resource('Box', {
  prefix: 'box',
  fields: { note: text({ max: 50 }) },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['note'] } },
})
const fields = { box: one('Box'), note: text({ max: 50 }) }
const Plain = resource('Thing', { prefix: 'thg', fields, actions })
const Counted = resource('Thing', {
  prefix: 'thg',
  fields: { ...fields, number: counter(), place: counter({ within: 'box' }) },
  actions,
})
const Renamed = resource('Thing', {
  prefix: 'thg',
  fields: {
    ...fields,
    serial: counter({ was: 'number' }),
    place: counter({ within: 'box' }),
    more: integer({ default: 0 }),
  },
  actions,
})
const common = {
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
} as const
const plain = service({ resources: { User, Post, Comment, Box, Thing: Plain }, ...common })
const counted = service({ resources: { User, Post, Comment, Box, Thing: Counted }, ...common })
const renamed = service({ resources: { User, Post, Comment, Box, Thing: Renamed }, ...common })

type Thing = Readonly<Record<string, unknown>> & { readonly id: string }

async function during<T>(
  { url }: TestDatabase,
  definition: Parameters<typeof start>[0],
  work: (running: StartedService) => Promise<T>,
  options: Omit<NonNullable<Parameters<typeof start>[1]>, 'environment'> = {},
): Promise<T> {
  const environment = {
    DATABASE_URL: url,
    PORT: '0',
    NODE_ENV: 'test',
    LOG_LEVEL: 'off',
    DEMO_DATA: options.demo === undefined ? 'off' : 'on',
  }
  const running = await start(definition, { environment, ...options })
  try {
    return await work(running)
  } finally {
    await running.stop()
  }
}

async function add({ url }: StartedService, path: string, body: object): Promise<Thing> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/api/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(response.status, 201)
  const { data } = (await response.json()) as { data: Thing }
  // Records of one millisecond are in no order.
  while (Date.now() <= Date.parse(data['created_at'] as string));
  return data
}
async function things({ url }: StartedService, ...names: readonly string[]): Promise<readonly unknown[]> {
  const response = await fetch(`${url}/api/v2/things?sort=created_at`)
  const { data } = (await response.json()) as { data: readonly Thing[] }
  return data.map((each) => names.map((name) => each[name]))
}

forEachEngine((engine) => {
  test('11.3.5 records that are there are counted as they were made, and a new name counts on', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const [one, other] = await during(database, plain, async (running) => {
      const [one, other] = [await add(running, 'boxes', { note: 'A' }), await add(running, 'boxes', { note: 'B' })]
      const note = { note: 'N' }
      const first = await add(running, 'things', { box_id: one.id, ...note })
      for (const { id } of [one, other, one]) await add(running, 'things', { box_id: id, ...note })
      assert.equal((await fetch(`${running.url}/api/v2/things/${first.id}`, { method: 'DELETE' })).status, 204)
      return [one, other] as const
    })
    await during(database, counted, async (running) => {
      const numbers = [
        [1, 1],
        [2, 1],
        [3, 2],
      ]
      assert.deepEqual(await things(running, 'number', 'place'), numbers)
      const { number, place } = await add(running, 'things', { box_id: other.id, note: 'N' })
      assert.deepEqual([number, place], [4, 2])
    })
    await during(database, renamed, async (running) => {
      const { serial, place } = await add(running, 'things', { box_id: one.id, note: 'N' })
      assert.deepEqual([serial, place], [5, 3])
      assert.deepEqual((await things(running, 'serial')).flat(), [1, 2, 3, 4, 5])
    })
  })

  test('11.3.5 demo data is counted in its order', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const createdAt = new Date(0)
    const numbers = await during(database, counted, (running) => things(running, 'note', 'number', 'place'), {
      demo(seed, password) {
        seed.create(User, { name: 'Ann', email: 'ann@example.com', emailVerified: true, password, createdAt })
        const boxes = ['A', 'B'].map((note) => seed.create(Box, { note, createdAt }))
        for (const [at, box] of [...boxes, boxes[0]!].entries())
          seed.create(Counted, { box, note: String(at), createdAt: new Date(at) })
      },
    })
    assert.deepEqual(numbers, [
      ['0', 1, 1],
      ['1', 2, 1],
      ['2', 3, 2],
    ])
  })
})
