// One rule, many readings: SQL narrows lists, counts, single reads and writes, asks for an audience of an event and of a record
// that is yet to be made. For random rules that lead from record to record, random records and actors, all of them say what
// the rule says, word by word, on both databases. (contract 2.7, 5.4.3)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  anyone,
  atLeast,
  atMost,
  boolean,
  choice,
  contains,
  before as earlier,
  email,
  field,
  integer,
  after as later,
  list,
  many,
  manyToMany,
  me,
  now,
  one,
  oneOf,
  optional,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
  token,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { insertRecord, newRecord } from '../../src/action/record.ts'
import { createRuleReader } from '../../src/event/rule-record.ts'
import { getOrInsert } from '../../src/get-or-insert.ts'
import { defaultLimits } from '../../src/limits.ts'
import { compileRead } from '../../src/read-plan/compile.ts'
import { allOptimisations } from '../../src/read-plan/optimise/optimise.ts'
import { runList, runRecord } from '../../src/read-plan/run.ts'
import { type Root, totalOrder } from '../../src/read-plan/selection.ts'
import {
  type Actor,
  actorOf as accountOf,
  actorIdOf,
  codeHashOf,
  type Requester,
  type Shown,
} from '../../src/resource/actor.ts'
import type { RuleNode } from '../../src/resource/language/rule.ts'
import { compileModel } from '../../src/resource/model/compile-model.ts'
import { type Condition, fold, ofNewRecord } from '../../src/resource/model/condition.ts'
import { makeId } from '../../src/resource/model/id.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../../src/resource/model/model.ts'
import { openStore } from '../../src/service/open-store.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { dialectOf, quote } from '../../src/store/sql/dialect.ts'
import { desiredSchema } from '../../src/store/sql/schema.ts'
import { boundTo } from '../../src/store/sql/sql-text.ts'
import { candidateColumns } from '../../src/store/sql/write.ts'
import { createWriteStatements } from '../../src/store/sql/write-statements.ts'
import { bind, command, type Engine, type Program, type Store } from '../../src/store/store.ts'
import { type PlainAsker, type PlainRecord, says } from '../support/oracle/plain-rule.ts'
import { select as selection } from '../support/rows/selection.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const words = ['a', 'A', 'a ', 'é', 'e\u0301', '😀', "'"]
const moments = [
  new Date('2026-01-01T00:00:00.000Z'),
  new Date('2026-01-01T00:00:00.001Z'),
  new Date('2026-01-01T00:01:00.000Z'),
]
/** Rules see the second that it is in. */
const requestTime = new Date('2026-01-01T00:00:00.900Z')
const numbers = [-1, 0, 1]

const read = { allow: anyone }
const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['NONE', 'OWN', 'ANY'], { default: 'NONE' }),
    status: state('ACTIVE', 'GONE'),
    isSure: boolean(),
    word: text({ max: 9 }),
    notes: many('Note', 'author'),
    watched: manyToMany('Topic', 'watchers'),
  },
  actions: { read },
})
/** Readable by rules of its own, to which `readable` leads. */
const Topic = resource('Topic', {
  prefix: 'top',
  fields: {
    word: text({ max: 9 }),
    isOpen: boolean(),
    code: token({ prefix: 'top', until: 'endsAt', maxUses: 2 }),
    endsAt: optional(timestamp()),
    owner: optional(one('User')),
    sides: many('Note', 'side'),
    watchers: manyToMany('User', 'watched'),
  },
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
    tags: list(text({ max: 9 }), { max: 9 }),
    code: token({ prefix: 'note', until: 'until' }),
  },
  actions: { read },
})
const model = compileModel(
  service({
    resources: { User, Topic, Note },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE', verified: 'isSure' },
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
  /** Who watches which topic, by their ids. */
  readonly watches: readonly (readonly [user: string, topic: string])[]
}
const nullable = <T>(of: readonly T[]) => fc.constantFrom(null, ...of)
const place = fc.nat({ max: 4 })
const isDeleted = fc.integer({ min: 0, max: 9 }).map((each) => each === 0)
/** Values as a definition's fields have them; relations are places among five users and five topics. */
const userArbitrary = fc.record({ word: fc.constantFrom(...words), isSure: fc.boolean(), isDeleted })
const topicArbitrary = fc.record({
  word: fc.constantFrom(...words),
  isOpen: fc.boolean(),
  owner: nullable([0, 1, 2, 3, 4]),
  endsAt: nullable(moments),
  codeUses: nullable([0, 1, 2]),
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
  tags: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 }),
  isDeleted,
})

const rule = (node: RuleNode): RuleNode => node
const comparisons: Readonly<Record<string, readonly (readonly [field: string, said: unknown])[]>> = {
  User: [
    ['word', oneOf('a', 'é', me('word'))],
    ['email', me('email')],
    ['isSure', true],
    ['createdAt', earlier(now)],
    ['updatedAt', later(field('createdAt'))],
  ],
  Topic: [
    ['word', me('word')],
    ['word', oneOf(...words.slice(0, 3))],
    ['isOpen', me('isSure')],
    ['owner', me('id')],
    ['owner', { present: false }],
    ['createdAt', atLeast(now.minus({ minutes: 1 }))],
  ],
  Note: [
    ['word', oneOf('a', field('aside'), me('word'))],
    ['aside', field('word')],
    ['aside', oneOf('', 'a')],
    ['aside', me('word')],
    ['aside', me('email')],
    ['size', atLeast(field('weight'))],
    ['size', atMost(0)],
    ['weight', atLeast(0)],
    ['weight', atMost(field('size'))],
    ['at', earlier(now)],
    ['at', atMost(now)],
    ['at', atLeast(now)],
    ['at', later(now)],
    ['at', earlier(now.plus({ minutes: 1 }))],
    ['until', earlier(now.plus({ minutes: 1 }))],
    ['until', later(field('at'))],
    ['until', atMost(moments[1]!)],
    ['until', oneOf(now, moments[2]!)],
    ['author', field('editor')],
    ['editor', me('id')],
    ['kind', oneOf('x', 'y')],
    ['status', oneOf('old')],
    ['isLoud', field('isOpen')],
    ['tags', contains('a')],
    ['tags', contains(field('word'))],
    ['tags', contains(field('aside'))],
    ['tags', contains(me('word'))],
  ],
}
const valuesArbitrary = fc
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
  .map((values) => rule({ rule: 'when', values: Object.fromEntries(Object.entries(values).slice(0, 2)) }))
const relationsOf: Readonly<
  Record<string, { one: Readonly<Record<string, string>>; many: Readonly<Record<string, string>> }>
> = {
  User: { one: {}, many: { notes: 'Note', watched: 'Topic' } },
  Topic: { one: { owner: 'User' }, many: { sides: 'Note', watchers: 'User' } },
  Note: { one: { author: 'User', editor: 'User', topic: 'Topic', side: 'Topic' }, many: {} },
}
const leafArbitrary = (of: string): fc.Arbitrary<RuleNode> => {
  const { one: relations } = relationsOf[of]!
  const accounts = Object.keys(relations).filter((name) => relations[name] === 'User')
  const compared = fc
    .constantFrom(...comparisons[of]!)
    .map(([name, said]) => rule({ rule: 'when', values: { [name]: said } }))
  return fc.oneof(
    fc.constantFrom<RuleNode>({ rule: 'anyone' }, { rule: 'nobody' }, { rule: 'signedIn' }, { rule: 'self' }),
    ...(accounts.length === 0 ? [] : [fc.constantFrom(...accounts).map((relation) => rule({ rule: 'own', relation }))]),
    compared,
    compared,
    ...(of === 'User' ? [] : [fc.constant<RuleNode>({ rule: 'hasToken', field: 'code' })]),
    ...(of === 'Note'
      ? [
          valuesArbitrary,
          valuesArbitrary,
          fc.constantFrom('topic', 'side').map((relation) => rule({ rule: 'readable', relation })),
        ]
      : []),
  )
}
/** A rule about records of one resource; those that lead on are about those of another. */
const ruleOf = (of: string, depth: number): fc.Arbitrary<RuleNode> =>
  getOrInsert(arbitraries, `${of} ${depth}`, () => makeRuleOf(of, depth))
const arbitraries = new Map<string, fc.Arbitrary<RuleNode>>()
function makeRuleOf(of: string, depth: number): fc.Arbitrary<RuleNode> {
  const leaf = leafArbitrary(of)
  if (depth === 0) return leaf
  const inner = ruleOf(of, depth - 1)
  const { one: ones, many: lists } = relationsOf[of]!
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    several.map((rules) => rule({ rule: 'anyOf', rules })),
    several.map((rules) => rule({ rule: 'allOf', rules })),
    inner.map((each) => rule({ rule: 'not', of: each })),
    ...(of === 'Note'
      ? [
          inner.map((mine) => rule({ rule: 'may', verb: 'touch', mine })),
          fc.constant<RuleNode>({ rule: 'may', verb: 'touch', mine: null }),
        ]
      : []),
    ...Object.entries(ones).map(([relation, target]) =>
      ruleOf(target, depth - 1).map((each) => rule({ rule: 'through', relation, of: each })),
    ),
    ...Object.entries(lists).map(([name, target]) =>
      ruleOf(target, depth - 1).map((each) => rule({ rule: 'some', list: name, of: each })),
    ),
  )
}
const ruleArbitrary = ruleOf('Note', 4)
/** Rules that lead to the records of a list, alone and among others. */
const leadArbitrary = (() => {
  const withMore = (of: string, node: RuleNode): fc.Arbitrary<RuleNode> =>
    fc.option(leafArbitrary(of)).map((more) => (more === null ? node : rule({ rule: 'allOf', rules: [node, more] })))
  const some = (list: string, target: string, mine: RuleNode) =>
    withMore(target, mine).map((of) => rule({ rule: 'some', list, of }))
  const ofTopic = fc.oneof(
    some('watchers', 'User', { rule: 'self' }),
    some('sides', 'Note', { rule: 'own', relation: 'author' }),
  )
  const ofUser = fc.oneof(
    some('notes', 'Note', { rule: 'own', relation: 'editor' }),
    some('watched', 'Topic', { rule: 'own', relation: 'owner' }),
  )
  const through = (relations: readonly string[], of: string, asked: fc.Arbitrary<RuleNode>) =>
    fc
      .tuple(
        fc.constantFrom(...relations),
        asked.chain((each) => withMore(of, each)),
      )
      .map(([relation, each]) => rule({ rule: 'through', relation, of: each }))
  const lead = fc
    .oneof(through(['topic', 'side'], 'Topic', ofTopic), through(['author', 'editor'], 'User', ofUser))
    .chain((each) => withMore('Note', each))
  const other = fc.constantFrom<RuleNode>(
    { rule: 'own', relation: 'author' },
    { rule: 'when', values: { isOpen: true } },
  )
  return fc.oneof(
    lead,
    fc.array(fc.oneof(lead, other), { minLength: 2, maxLength: 3 }).map((rules) => rule({ rule: 'anyOf', rules })),
  )
})()
const permissions = { NONE: [], OWN: ['notes:touch_own'], ANY: ['notes:touch_any'] } as const
/** The hashes of tokens: of a topic, of notes, and of nothing. */
const hashOf = (name: string, at: number): string => `${name}${at}`.padEnd(43, '_')
const hashes = [hashOf('Topic', 0), hashOf('Topic', 1), hashOf('Note', 0), hashOf('Note', 1), hashOf('Note', 99)]
const askerArbitrary = fc.record({
  actor: fc.option(fc.record({ place, role: fc.constantFrom('NONE', 'OWN', 'ANY') })),
  code: fc.option(fc.constantFrom(...hashes)),
})

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
      fc.asyncProperty(
        fc.oneof(ruleArbitrary, leadArbitrary),
        fc.constantFrom(...topicRules),
        askerArbitrary,
        async (rule, ofTopics, asked) => {
          const actor = requesterOf(asked, world)
          const resource = withRules(rule, ofTopics)
          const condition = fold(rule, resource, actor)
          const asker = askerOf(actor, world)
          const expected = world.notes
            .filter((note) => !note.isDeleted && says(rule, plain(note, resource, world), asker))
            .map((note) => note.id)
            .sort()
          const selected = await select(resource, condition, actor, store, engine)
          assert.deepEqual(selected.loaded, expected, 'what a write finds')
          assert.deepEqual(selected.listed, expected, 'the list')
          assert.equal(selected.total, expected.length, 'the count')
          assert.deepEqual(selected.paged, expected.toReversed(), 'its pages')
          const { id } = world.notes[0]!
          assert.equal(selected.first, expected.includes(id), 'a single read')
          const sideOf = (note: Row) => {
            const side = world.topics.find((topic) => topic.id === note['side'] && !topic.isDeleted)
            const isReadable =
              side !== undefined &&
              says(ofTopics, plain(side, { ...topics, read: { ...topics.read, allow: ofTopics } }, world), asker)
            return isReadable ? { word: side['word'] } : null
          }
          const sides = new Map(world.notes.map((note) => [note.id, sideOf(note)]))
          const expectedSides = expected.map((note) => [note, sides.get(note)])
          assert.deepEqual(selected.joined, expectedSides, 'a reference by a join')
          assert.deepEqual(selected.unjoined, expectedSides, 'a reference by a statement')
        },
      ),
      { numRuns: engine === 'sqlite' ? 200 : 100, seed },
    )
  })

  test('many rules at once, of stored records and of records to be made', async () => {
    const dialect = dialectOf(engine)
    const statements = createWriteStatements(dialect)
    const living = world.notes.filter((note) => !note.isDeleted)
    const several = fc.array(ruleArbitrary, { minLength: 20, maxLength: 20 })
    let cases = 0
    await fc.assert(
      fc.asyncProperty(several, fc.constantFrom(...topicRules), askerArbitrary, async (rules, ofTopics, asked) => {
        const actor = requesterOf(asked, world)
        const resource = withRules(rules[0]!, ofTopics)
        const conditions = rules.map((each) => fold(each, resource, actor))
        const asking = { actor: actorIdOf(actor), code: codeHashOf(actor), requestTime }
        const asker = askerOf(actor, world)
        const note = living[cases % living.length]!
        // Nothing leads to a record that is not there yet, and it leads where it says.
        const candidate = { ...note, id: 'note_new', isDeleted: false, code: null }
        const [stored, made] = await store.read(
          (function* (): Program<readonly [readonly boolean[][], readonly boolean[]]> {
            const load = { resource, conditions, columns: [], lock: null } as const
            const rows = yield statements.load(
              load,
              asking,
              living.map(({ id }) => id),
            )
            const input = candidateColumns(resource).map(({ field: name, type }) =>
              dialect.encode((candidate as Record<string, unknown>)[name] ?? null, type),
            )
            const answers: boolean[] = []
            for (const each of conditions) {
              const [row] = yield boundTo(statements.candidate(resource, ofNewRecord(each)), { ...asking, input })
              answers.push(isTrue(row![0]))
            }
            const byId = new Map(rows.map((row) => [row[0], row.slice(2).map(isTrue)]))
            return [living.map(({ id }) => byId.get(id)!), answers]
          })(),
        )
        for (const [index, each] of rules.entries()) {
          living.forEach((row, at) => {
            cases++
            assert.equal(
              stored[at]![index],
              says(each, plain(row, resource, world), asker),
              JSON.stringify([each, row, actor]),
            )
          })
          assert.equal(
            made[index],
            says(each, plain(candidate, resource, world), asker),
            JSON.stringify([each, candidate]),
          )
        }
      }),
      { numRuns: engine === 'sqlite' ? 40 : 25, seed },
    )
    assert.ok(cases > 10_000, `${cases} cases`)
  })

  test('an audience is those for whom the rule holds, asked together', async () => {
    const reader = createRuleReader(dialectOf(engine), 2)
    const actors = [
      null,
      ...world.users.flatMap(({ id }) => (['NONE', 'OWN', 'ANY'] as const).map((role) => actorOf(id, role))),
    ]
    const askers = actors.flatMap((each) => [each, ...hashes.map((codeHash) => ({ ...each, codeHash }))])
    const shownBy = (asker: Requester) => ({ actor: actorIdOf(asker), code: codeHashOf(asker) })
    await fc.assert(
      fc.asyncProperty(
        ruleArbitrary,
        fc.constantFrom(...topicRules),
        fc.nat({ max: 59 }),
        async (each, ofTopics, at) => {
          const resource = withRules(each, ofTopics)
          const note = world.notes[at]!
          const asked = new Map<Condition, Shown[]>()
          for (const actor of askers) getOrInsert(asked, fold(each, resource, actor), () => []).push(shownBy(actor))
          const holds = await store.read(reader.ask({ resource, id: note.id }, asked, requestTime))
          for (const actor of askers) {
            const said = !note.isDeleted && says(each, plain(note, resource, world), askerOf(actor, world))
            assert.equal(
              holds?.(fold(each, resource, actor), shownBy(actor)) ?? false,
              said,
              JSON.stringify([each, note, actor]),
            )
          }
        },
      ),
      { numRuns: 100, seed },
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

function requesterOf(
  { actor, code }: { actor: { place: number; role: keyof typeof permissions } | null; code: string | null },
  world: World,
): Requester {
  const account = actor === null ? null : actorOf(world.users[actor.place]!.id, actor.role)
  return code === null ? account : { ...account, codeHash: code }
}

const askerOf = (requester: Requester, world: World): PlainAsker => {
  const actor = accountOf(requester)
  const account = world.users.find(({ id, isDeleted }) => id === actor?.id && !isDeleted)
  return {
    id: actor?.id ?? null,
    account: account === undefined ? null : plain(account, model.byName.get('User')!, world),
    permissions: actor?.permissions ?? new Set(),
    now: requestTime,
    code: codeHashOf(requester),
    unverified: { field: 'email', verified: 'isSure' },
  }
}

/** A record as it was written, with the living records around it. */
function plain(row: Row, resource: ResourceModel, world: World): PlainRecord {
  const rowsOf = ({ name }: ResourceModel): readonly Row[] =>
    (name === 'User' ? world.users : name === 'Topic' ? world.topics : world.notes).filter((each) => !each.isDeleted)
  const linked = (relation: LinkRelation): readonly string[] =>
    relation.target.name === 'Topic'
      ? world.watches.filter(([user]) => user === row.id).map(([, topic]) => topic)
      : world.watches.filter(([, topic]) => topic === row.id).map(([user]) => user)
  return {
    path: resource.path,
    read: resource.read.allow,
    tokens: { code: (resource.column.get('code')?.spec ?? {}) as { until?: string; maxUses?: number } },
    value: (name) => row[name] ?? null,
    one(name) {
      const { target } = resource.relations.get(name) as OneRelation
      const found = rowsOf(target).find(({ id }) => id === row[name])
      return found === undefined ? null : plain(found, target, world)
    },
    many(name) {
      const relation = resource.relations.get(name) as ManyRelation | LinkRelation
      const ids = relation.kind === 'many' ? null : linked(relation)
      return rowsOf(relation.target)
        .filter((each) => (relation.kind === 'many' ? each[relation.by.field] === row.id : ids!.includes(each.id)))
        .map((each) => plain(each, relation.target, world))
    },
  }
}

const isTrue = (value: unknown): boolean => value === true || value === 1

async function select(resource: ResourceModel, condition: Condition, actor: Requester, store: Store, engine: Engine) {
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
    actor: actorIdOf(actor),
    code: codeHashOf(actor),
    requestTime,
    lists: [],
    list: { size: 100, offset: 0, cursor: null, filter: [], binding: null, countMax: 1_000 },
  }
  const answer = await store.read(runList(compileRead(list, actor, dialect), given, dialect))
  const paged: string[] = []
  for (let offset = 0; ; offset += pageSize) {
    const page = { ...given, list: { ...given.list, size: pageSize, offset } }
    const ids = JSON.parse((await store.read(runList(compileRead(list, actor, dialect), page, dialect)))!.json!)
    paged.push(...ids.map(({ id }: Listed) => id))
    if (ids.length < pageSize) break
  }
  const unjoinedPlan = compileRead(list, actor, dialect, { ...allOptimisations, join: false })
  const unjoined = await store.read(runList(unjoinedPlan, given, dialect))
  const joinedNotes: readonly Listed[] = JSON.parse(answer!.json!)
  const first = allIds[0]!
  const record = compileRead({ kind: 'record', of, etag: false }, actor, dialect)
  const found = await store.read(runRecord(record, { ...given, id: first }, dialect))
  const statements = createWriteStatements(dialect)
  const rows = await store.read(
    (function* (): Program<readonly (readonly unknown[])[]> {
      return yield statements.load(
        { resource, conditions: [condition], columns: [], lock: null },
        { actor: given.actor, code: given.code, requestTime },
        allIds,
      )
    })(),
  )
  return {
    listed: joinedNotes.map((each) => each.id).sort(),
    joined: sidesOf(joinedNotes),
    unjoined: sidesOf(JSON.parse(unjoined!.json!)),
    total: answer!.total,
    paged,
    first: found !== null,
    // SQLite says 1 where PostgreSQL says true.
    loaded: rows
      .filter((row) => row[2] === true || row[2] === 1)
      .map((row) => row[0] as string)
      .sort(),
  }
}
const allIds: string[] = []
const pageSize = 7

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
  const inserted = new Map<string, number>()
  const insertedOf = (name: string): number => {
    const at = inserted.get(name) ?? 0
    inserted.set(name, at + 1)
    return at
  }
  const insert = async (name: string, { isDeleted, ...given }: Record<string, unknown>): Promise<Row> => {
    const resource = model.byName.get(name)!
    const id = makeId(resource.prefix, new Date(now.getTime() + ++count))
    const at = resource.name === 'User' ? null : insertedOf(resource.name)
    const code: readonly (readonly [string, string])[] = at === null ? [] : [['code', hashOf(name, at)]]
    const uses = [['codeUses', given['codeUses'] ?? null]] as unknown as typeof code
    const record = { ...newRecord(resource, id, given, now), ...given, ...Object.fromEntries(code) }
    const remove = command(`update ${quote(resource.table)} set deleted_at = created_at where id = '${id}'`)
    await store.write(function* () {
      yield* insertRecord(
        resource,
        { record, hashes: new Map([['password', 'x'], ...code, ...uses]) },
        { statements, dialect, cipher: null },
      )
      if (isDeleted === true) yield bind(remove)
    })
    return { ...record, id, isDeleted: isDeleted === true }
  }
  const sample = <T>(of: fc.Arbitrary<T>, size: number) => fc.sample(of, { numRuns: size, seed })
  const users: Row[] = []
  for (const each of sample(userArbitrary, 5))
    users.push(await insert('User', { ...each, email: `u${count}@example.com` }))
  const idAt = (rows: readonly Row[], at: number | null) => (at === null ? null : rows[at]!.id)
  const ofTopics: Row[] = []
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
  const pairs = users.flatMap((user) => ofTopics.map((topic) => [user.id, topic.id] as const))
  const watches = pairs.filter((_, index) => index % 3 === seed % 3)
  const { link } = model.byName.get('Topic')!.relations.get('watchers') as LinkRelation
  for (const [user, topic] of watches) {
    const input = link.source.name === 'User' ? [user, topic] : [topic, user]
    await store.write(function* () {
      yield boundTo(statements.link(link), { actor: null, input })
    })
  }
  return { users, topics: ofTopics, notes: all, watches }
}
