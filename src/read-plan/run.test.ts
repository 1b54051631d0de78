// Plans against a database: what each optimisation saves, and that the answers are the same without it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { api } from '../../reference/service.ts'
import { createFixtures } from '../../test/support/rows/fixtures.ts'
import { type Choice, firstOf, select } from '../../test/support/rows/selection.ts'
import { forEachEngine } from '../../test/support/server/databases.ts'
import { createWithTables } from '../../test/support/server/migrated-database.ts'
import { AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import { defaultLimits } from '../limits.ts'
import { compileModel } from '../resource/model/compile/compile-model.ts'
import { openStore } from '../service/open/open-store.ts'
import { desiredSchema } from '../store/sql/schema/schema.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { Bound, Engine, Program, StoredRow } from '../store/store.ts'
import { compileRead } from './compile.ts'
import { allOptimisations, type Optimisations } from './optimise/optimise.ts'
import { runList, runRecord } from './run.ts'

const model = compileModel(api)
const noOptimisations: Optimisations = { join: false, backReference: false, jsonText: false }

/** Two comments of one author on a post of another, and the means to read them. */
async function open(engine: Engine, t: TestContext) {
  const dialect = dialectOf(engine)
  const database = await createWithTables(desiredSchema(model, dialect, []))
  t.after(() => database.drop())
  const store = await openStore(database.url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  t.after(() => store.close())
  const makeFixtures = createFixtures(model, store, 'no hash', () => new Date(0))
  const account = (name: string) => ({ User: { name, role: 'EDITOR', email: `${name}@example.com` } })
  const comment = { Comment: { post: '{post}', author: '{reader}', content: 'Said.' } }
  const recipes = { editor: account('Editor'), reader: account('Reader'), one: comment, two: comment }
  const fixtures = makeFixtures(new Map(), recipes)
  const ids = { Post: await fixtures.idOf('post'), Comment: await fixtures.idOf('one'), User: '' }
  await fixtures.idOf('two')
  ids.User = await fixtures.idOf('editor')

  /** The record as it is answered, and the rows of each statement that it took. */
  async function read(type: keyof typeof ids, choices: readonly Choice[], optimisations: Optimisations) {
    const of = select(model.byName.get(type)!, choices)
    const plan = compileRead({ kind: 'record', of, etag: false }, null, dialect, optimisations)
    const rows: number[] = []
    const program = runRecord(
      plan,
      { actor: null, requestTime: new Date(0), id: ids[type], lists: [firstOf(10)] },
      dialect,
    )
    const answer = await store.read(withFrozenRows(program, (count) => rows.push(count)))
    return { json: answer!.json, rows }
  }
  return { read }
}

/** As reads that were batched get them: nobody may write into what others read, too. */
function* withFrozenRows<T>(program: Program<T>, count: (rows: number) => void): Program<T> {
  let next = program.next([])
  while (next.done !== true) {
    const rows: readonly StoredRow[] = yield next.value as Bound
    count(rows.length)
    next = program.next(Object.freeze(rows.map((row) => Object.freeze(row))))
  }
  return next.value
}

/** Whether the first statement of a page of posts is counted as it is read. */
function isPageCounted(size: number, choices: readonly Choice[], counter: AnswerSize): boolean {
  const dialect = dialectOf('sqlite')
  const resource = model.byName.get('Post')!
  const sort = [{ column: resource.column.get('id')!, descending: true }]
  const list = { resource, filters: [], sort, seek: null, backward: false, offset: false }
  const parts = { as: 'array', of: select(resource, choices) } as const
  const plan = compileRead({ kind: 'list', list, within: null, parts, total: false }, null, dialect)
  const args = {
    actor: null,
    requestTime: new Date(0),
    list: { ...firstOf(size), binding: null },
    lists: [],
    size: counter,
  }
  return 'counter' in (runList(plan, args, dialect).next([]).value as Bound)
}

test('only what may be too much is counted as it is read (contract 8.4.6)', () => {
  const room = { take: () => true, give: () => undefined }
  const sizeOf = () => new AnswerSize(defaultLimits, room)
  assert.equal(isPageCounted(20, ['title', 'content', { author: ['name'] }], sizeOf()), false)
  assert.equal(isPageCounted(100, ['title', 'content', { author: ['name', 'bio'] }], sizeOf()), false)
  assert.equal(isPageCounted(200, ['title', 'content'], sizeOf()), true)
  assert.equal(isPageCounted(200, ['title'], sizeOf()), false)
  assert.equal(isPageCounted(200, ['title', 'content'], unlimitedSize), false)
  const shared = sizeOf()
  assert.deepEqual(
    [1, 2].map(() => isPageCounted(100, ['content'], shared)),
    [false, true],
  )
})

interface Row {
  readonly it: string
  readonly read: readonly ['Post' | 'Comment' | 'User', ...Choice[]]
  readonly without: Partial<Optimisations>
  /** How many rows each statement answers. */
  readonly rows: readonly number[]
  readonly rowsWithout: readonly number[]
}
const table: readonly Row[] = [
  {
    it: 'a join saves the statement of a reference',
    read: ['Comment', 'content', { author: ['name'], post: ['title', { author: ['name'] }] }],
    without: { join: false },
    rows: [1],
    rowsWithout: [1, 1, 1, 1],
  },
  {
    it: 'a reference back to the parent is no statement',
    read: ['Post', 'title', { comments: ['id', { post: ['title'], author: ['name'] }] }],
    without: { backReference: false },
    rows: [1, 2, 1],
    rowsWithout: [1, 2, 1, 1],
  },
  {
    it: 'a list that is text is one row for each parent',
    read: ['Post', { comments: ['id', 'content', { post: ['id', 'title'] }] }],
    without: { jsonText: false },
    rows: [1, 1],
    rowsWithout: [1, 2],
  },
  {
    it: 'a list is text only while what it says of its parent needs no statement',
    read: ['Post', { comments: ['id', { post: ['title'] }] }],
    without: { backReference: false },
    rows: [1, 1],
    rowsWithout: [1, 2, 1],
  },
  {
    it: 'all of them together',
    read: ['User', 'name', { posts: ['id', { comments: ['id', { post: ['title', { author: ['name'] }] }] }] }],
    without: noOptimisations,
    rows: [1, 1, 2],
    rowsWithout: [1, 1, 2, 1, 1],
  },
]

forEachEngine((engine) => {
  for (const {
    it,
    read: [type, ...choices],
    without,
    rows,
    rowsWithout,
  } of table) {
    test(it, async (t) => {
      const { read } = await open(engine, t)
      const optimised = await read(type, choices, allOptimisations)
      const plain = await read(type, choices, { ...allOptimisations, ...without })
      assert.equal(plain.json, optimised.json)
      assert.deepEqual([optimised.rows, plain.rows], [rows, rowsWithout])
    })
  }

  test('only the columns that are printed are selected', async (t) => {
    const { read } = await open(engine, t)
    const { json } = await read('Comment', ['content', { post: ['title'] }], allOptimisations)
    assert.equal(json, '{"content":"Said.","post":{"title":"Published"}}')
    const of = select(model.byName.get('Comment')!, ['content', { post: ['title'] }])
    const { level } = compileRead({ kind: 'record', of, etag: false }, null, dialectOf(engine))
    const selected = /select (.*?) from/.exec(level.prepared.statement.sql)![1]!
    assert.deepEqual(
      Array.from(selected.matchAll(/"(\w+)"/g), ([, name]) => name),
      ['content', 'title'],
    )
  })
})
