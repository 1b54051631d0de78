// A rule has two readings: `holds` tests a record in memory, SQL narrows lists, counts, single reads and writes. For random
// rules, records and actors all of them select the same records, on both databases. (contract 2.7, 5.4.3)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  email,
  integer,
  one,
  optional,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { insertRecord, newRecord } from '../../src/action/record.ts'
import { defaultLimits } from '../../src/limits.ts'
import { compileRead } from '../../src/read-plan/compile.ts'
import { allOptimisations } from '../../src/read-plan/optimise/optimise.ts'
import { runList, runRecord } from '../../src/read-plan/run.ts'
import { type Root, totalOrder } from '../../src/read-plan/selection.ts'
import type { Actor } from '../../src/resource/actor.ts'
import type { RuleNode } from '../../src/resource/language/rule.ts'
import { compileModel } from '../../src/resource/model/compile-model.ts'
import { type Condition, fold, holds, type RuleRecord } from '../../src/resource/model/condition.ts'
import { makeId } from '../../src/resource/model/id.ts'
import type { OneRelation, ResourceModel } from '../../src/resource/model/model.ts'
import { openStore } from '../../src/service/open-store.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { dialectOf, quote } from '../../src/store/sql/dialect.ts'
import { desiredSchema } from '../../src/store/sql/schema.ts'
import { createWriteStatements } from '../../src/store/sql/write-statements.ts'
import { bind, command, type Engine, type Program, type Store } from '../../src/store/store.ts'
import { select as selection } from '../support/rows/selection.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const words = ['a', 'A', 'a ', 'é', 'e\u0301', '😀', "'"]
const moments = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-01T00:00:00.001Z')]
const numbers = [-1, 0, 1]

const read = { allow: anyone }
const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['NONE', 'OWN', 'ANY'], { default: 'NONE' }),
    status: state('ACTIVE', 'GONE'),
    word: text({ max: 9 }),
  },
  actions: { read },
})
/** Readable by rules of its own, to which `readable` leads. */
const Topic = resource('Topic', {
  prefix: 'top',
  fields: { word: text({ max: 9 }), isOpen: boolean(), owner: optional(one('User')) },
  actions: { read: { allow: when({ isOpen: true }) } },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: {
    word: text({ max: 9 }),
    aside: optional(text({ min: 0, max: 9 })),
    size: integer(),
    weight: optional(integer()),
    isOpen: boolean(),
    isLoud: optional(boolean()),
    at: timestamp(),
    until: optional(timestamp()),
    kind: choice(['x', 'y']),
    status: state('new', 'old'),
    author: one('User'),
    editor: optional(one('User')),
    topic: one('Topic'),
    side: optional(one('Topic')),
  },
  actions: { read },
})
const model = compileModel(
  service({
    resources: { User, Topic, Note },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { NONE: {}, OWN: {}, ANY: {} },
    versions: { v1: 'current' },
  }),
)
const notes = model.byName.get('Note')!
const topics = model.byName.get('Topic')!
/** Rules of the topics, so that `readable` leads to more than one condition. */
const topicRules: readonly RuleNode[] = [
  { rule: 'anyone' },
  { rule: 'nobody' },
  { rule: 'when', values: { isOpen: true } },
  {
    rule: 'anyOf',
    rules: [
      { rule: 'own', relation: 'owner' },
      { rule: 'when', values: { word: 'a' } },
    ],
  },
]

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly isDeleted: boolean }
interface World {
  readonly users: readonly Row[]
  readonly topics: readonly Row[]
  readonly notes: readonly Row[]
}
const nullable = <T>(of: readonly T[]) => fc.constantFrom(null, ...of)
const place = fc.nat({ max: 4 })
const isDeleted = fc.integer({ min: 0, max: 9 }).map((each) => each === 0)
/** Values as a definition's fields have them; relations are places among five users and five topics. */
const userArbitrary = fc.record({ word: fc.constantFrom(...words), isDeleted })
const topicArbitrary = fc.record({
  word: fc.constantFrom(...words),
  isOpen: fc.boolean(),
  owner: nullable([0, 1, 2, 3, 4]),
  isDeleted,
})
const noteArbitrary = fc.record({
  word: fc.constantFrom(...words),
  aside: nullable(['', ...words]),
  size: fc.constantFrom(...numbers),
  weight: nullable(numbers),
  isOpen: fc.boolean(),
  isLoud: nullable([true, false]),
  at: fc.constantFrom(...moments),
  until: nullable(moments),
  kind: fc.constantFrom('x', 'y'),
  status: fc.constantFrom('new', 'old'),
  author: place,
  editor: nullable([0, 1, 2, 3, 4]),
  topic: place,
  side: nullable([0, 1, 2, 3, 4]),
  isDeleted,
})

const whenArbitrary: fc.Arbitrary<RuleNode> = fc
  .record(
    {
      word: fc.constantFrom(...words),
      aside: fc.constantFrom(null, '', ...words, { present: true }, { present: false }),
      size: fc.constantFrom(...numbers),
      weight: fc.constantFrom(null, ...numbers, { present: true }, { present: false }),
      isOpen: fc.boolean(),
      isLoud: fc.constantFrom(null, true, false, { present: true }),
      at: fc.constantFrom(...moments),
      until: fc.constantFrom(null, ...moments, { present: true }, { present: false }),
      kind: fc.constantFrom('x', 'y'),
      status: fc.constantFrom('new', 'old'),
    },
    { requiredKeys: [] },
  )
  .map((values) => ({ rule: 'when', values: Object.fromEntries(Object.entries(values).slice(0, 2)) }))
const { rule: ruleArbitrary } = fc.letrec<{ rule: RuleNode; leaf: RuleNode }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<RuleNode>({ rule: 'anyone' }, { rule: 'nobody' }, { rule: 'signedIn' }, { rule: 'self' }),
    fc.constantFrom('author', 'editor').map((relation): RuleNode => ({ rule: 'own', relation })),
    fc.constantFrom('topic', 'side').map((relation): RuleNode => ({ rule: 'readable', relation })),
    whenArbitrary,
    whenArbitrary,
  ),
  rule: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    tie('leaf'),
    tie('leaf').map((mine): RuleNode => ({ rule: 'may', verb: 'touch', mine })),
    fc.constant<RuleNode>({ rule: 'may', verb: 'touch', mine: null }),
    fc.array(tie('rule'), { minLength: 1, maxLength: 4 }).map((rules): RuleNode => ({ rule: 'anyOf', rules })),
    fc.array(tie('rule'), { minLength: 1, maxLength: 4 }).map((rules): RuleNode => ({ rule: 'allOf', rules })),
  ),
}))
const permissions = { NONE: [], OWN: ['notes:touch_own'], ANY: ['notes:touch_any'] } as const
const actorArbitrary = fc.option(fc.record({ place, role: fc.constantFrom('NONE', 'OWN', 'ANY') }))

forEachEngine((engine) => {
  let database: TestDatabase
  let store: Store
  let world: World
  const seed = Date.now()
  before(async () => {
    database = await createDatabase(engine)
    store = await openStore(database.url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
    await migrate(store, desiredSchema(model, dialectOf(engine), []))
    world = await fill(store, seed)
  })
  after(async () => {
    await store?.close()
    await database?.drop()
  })

  test('lists, counts, single reads and writes select what the rule says of each record', async () => {
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, fc.constantFrom(...topicRules), actorArbitrary, async (rule, ofTopics, asked) => {
        const actor = asked === null ? null : actorOf(world.users[asked.place]!.id, asked.role)
        const resource = withRules(rule, ofTopics)
        const condition = fold(rule, resource, actor)
        const expected = world.notes
          .filter((note) => !note.isDeleted && holds(condition, testable(note, world), actor?.id ?? null))
          .map((note) => note.id)
          .sort()
        const selected = await select(resource, condition, actor, store, engine)
        assert.deepEqual(selected.loaded, expected, 'what a write finds')
        assert.deepEqual(selected.listed, expected, 'the list')
        assert.equal(selected.total, expected.length, 'the count')
        const { id } = world.notes[0]!
        assert.equal(selected.first, expected.includes(id), 'a single read')
        const topicCondition = fold(ofTopics, topics, actor)
        const sideOf = (note: Row) => {
          const side = world.topics.find((topic) => topic.id === note['side'] && !topic.isDeleted)
          const isReadable = side !== undefined && holds(topicCondition, testable(side, world), actor?.id ?? null)
          return isReadable ? { word: side['word'] } : null
        }
        const sides = new Map(world.notes.map((note) => [note.id, sideOf(note)]))
        const expectedSides = expected.map((note) => [note, sides.get(note)])
        assert.deepEqual(selected.joined, expectedSides, 'a reference by a join')
        assert.deepEqual(selected.unjoined, expectedSides, 'a reference by a statement')
      }),
      { numRuns: engine === 'sqlite' ? 200 : 100, seed },
    )
  })
})

/** The notes as if their definition had this rule, and their topics that one. */
function withRules(rule: RuleNode, ofTopics: RuleNode): ResourceModel {
  const target: ResourceModel = { ...topics, read: { ...topics.read, allow: ofTopics } }
  const relations = new Map(
    [...notes.relations].map(([name, each]) => [
      name,
      each.kind === 'one' && each.target === topics ? ({ ...each, target } as OneRelation) : each,
    ]),
  )
  return { ...notes, relations, read: { ...notes.read, allow: rule } }
}

function actorOf(id: string, role: keyof typeof permissions): Actor {
  const credential = { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) } as const
  return { id, role, permissions: new Set(permissions[role]), scopes: null, credential }
}

/** A record as it was written, with the living records behind its relations. */
function testable(row: Row, world: World): RuleRecord {
  return {
    value: (column) => row[column.field],
    related: ({ field, target }) => {
      const all: readonly Row[] = target.name === 'User' ? world.users : world.topics
      const related = all.find((each) => each.id === row[field] && !each.isDeleted)
      return related === undefined ? null : testable(related, world)
    },
  }
}

async function select(
  resource: ResourceModel,
  condition: Condition,
  actor: Actor | null,
  store: Store,
  engine: Engine,
) {
  const dialect = dialectOf(engine)
  const of = selection(resource, ['id', { side: ['word'] }])
  const createdAt = { column: resource.column.get('createdAt')!, descending: true }
  const list: Root = {
    kind: 'list',
    list: { resource, filters: [], sort: totalOrder(resource, [createdAt]), seek: null, backward: false, offset: true },
    within: null,
    parts: { as: 'array', of },
    total: true,
  }
  const given = {
    actor: actor?.id ?? null,
    lists: [],
    list: { size: 100, offset: 0, cursor: null, filter: [], binding: null, countMax: 1_000 },
  }
  const answer = await store.read(runList(compileRead(list, actor, dialect), given, dialect))
  const unjoinedPlan = compileRead(list, actor, dialect, { ...allOptimisations, join: false })
  const unjoined = await store.read(runList(unjoinedPlan, given, dialect))
  const joinedNotes: readonly Listed[] = JSON.parse(answer!.json!)
  const first = allIds[0]!
  const record = compileRead({ kind: 'record', of, etag: false }, actor, dialect)
  const found = await store.read(runRecord(record, { ...given, id: first }, dialect))
  const statements = createWriteStatements(dialect)
  const rows = await store.read(
    (function* (): Program<readonly (readonly unknown[])[]> {
      return yield statements.load({ resource, conditions: [condition], columns: [], lock: null }, given.actor, allIds)
    })(),
  )
  return {
    listed: joinedNotes.map((each) => each.id).sort(),
    joined: sidesOf(joinedNotes),
    unjoined: sidesOf(JSON.parse(unjoined!.json!)),
    total: answer!.total,
    first: found !== null,
    // SQLite says 1 where PostgreSQL says true.
    loaded: rows
      .filter((row) => row[2] === true || row[2] === 1)
      .map((row) => row[0] as string)
      .sort(),
  }
}
const allIds: string[] = []

const sidesOf = (listed: readonly Listed[]) =>
  listed.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, side }) => [id, side])
interface Listed {
  readonly id: string
  readonly side: { readonly word: string } | null
}

/** Writes random records, some of them deleted, and answers them. */
async function fill(store: Store, seed: number): Promise<World> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  const now = new Date('2026-01-01T00:00:00.000Z')
  let count = 0
  const insert = async (name: string, { isDeleted, ...given }: Record<string, unknown>): Promise<Row> => {
    const resource = model.byName.get(name)!
    const id = makeId(resource.prefix, new Date(now.getTime() + ++count))
    const record = { ...newRecord(resource, id, given, now), ...given }
    const remove = command(`update ${quote(resource.table)} set deleted_at = created_at where id = '${id}'`)
    await store.write(function* () {
      yield* insertRecord(resource, { record, hashes: new Map([['password', 'x']]) }, { statements, dialect })
      if (isDeleted === true) yield bind(remove)
    })
    return { ...record, id, isDeleted: isDeleted === true }
  }
  const sample = <T>(of: fc.Arbitrary<T>, size: number) => fc.sample(of, { numRuns: size, seed })
  const users = []
  for (const each of sample(userArbitrary, 5))
    users.push(await insert('User', { ...each, email: `u${count}@example.com` }))
  const idAt = (rows: readonly Row[], at: number | null) => (at === null ? null : rows[at]!.id)
  const ofTopics = []
  for (const each of sample(topicArbitrary, 5))
    ofTopics.push(await insert('Topic', { ...each, owner: idAt(users, each.owner) }))
  const all = []
  for (const each of sample(noteArbitrary, 60)) {
    const { author, editor, topic, side } = each
    const relations = {
      author: idAt(users, author),
      editor: idAt(users, editor),
      topic: idAt(ofTopics, topic),
      side: idAt(ofTopics, side),
    }
    all.push(await insert('Note', { ...each, ...relations }))
  }
  allIds.splice(0, allIds.length, ...all.map((each) => each.id))
  return { users, topics: ofTopics, notes: all }
}
