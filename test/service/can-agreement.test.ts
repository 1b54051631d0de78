// What `can` tells agrees with trying: for random rules, states, records and actors, an action is true exactly where it begins.
// Every try is undone. Nothing else is in its way: no check, and input that is well formed. (contract 10.1.9)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  boolean,
  choice,
  email,
  many,
  one,
  optional,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
} from 'duet-api'
import fc from 'fast-check'
import type { Runner } from '../../src/action/call.ts'
import { makeSelection } from '../../src/action/record-selection.ts'
import { insertRecord, newRecord } from '../../src/action/row/record.ts'
import { Failure } from '../../src/failure/failure.ts'
import { defaultLimits } from '../../src/limits.ts'
import { createPlanCache } from '../../src/read-plan/plan-cache.ts'
import { totalOrder } from '../../src/read-plan/selection.ts'
import { type Actor, noCredential } from '../../src/resource/actor.ts'
import type { RuleNode } from '../../src/resource/language/rule/rule.ts'
import { compileModel } from '../../src/resource/model/compile/compile-model.ts'
import { makeId } from '../../src/resource/model/id.ts'
import type { Model } from '../../src/resource/model/model.ts'
import { recordActions } from '../../src/resource/model/rule/record-action.ts'
import { asDefined } from '../../src/resource/model/vocabulary.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import type { Program, Step, Store, StoredRow } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'
import { quietRunner } from '../support/server/quiet-runner.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
type Ask = { readonly rule: RuleNode; readonly from?: unknown }
interface Rules {
  readonly read: RuleNode
  readonly ofTopics: RuleNode
  readonly update: RuleNode
  readonly delete: RuleNode
  readonly open: Ask
  readonly sendBack: Ask
}

/** The same tables, whatever the rules. */
function modelOf(rules: Rules): Model {
  const move = ({ rule, from }: Ask) => ({ allow: rule, ...(from === undefined ? {} : { from }) })
  const User = resource('User', {
    prefix: 'usr',
    fields: {
      email: email({ unique: true }),
      password: password({ min: 8, max: 200 }),
      role: choice(['NONE', 'OWN', 'ANY'], { default: 'NONE' }),
      status: state('ACTIVE', 'GONE'),
    },
    actions: { read: { allow: { rule: 'anyone' } as never } },
  })
  const Topic = resource('Topic', {
    prefix: 'top',
    fields: { isOpen: boolean(), owner: optional(one('User')), notes: many('Note', 'topic') },
    actions: { read: { allow: rules.ofTopics as never } },
  })
  const Note = resource('Note', {
    prefix: 'note',
    fields: {
      word: text({ max: 9 }),
      isOpen: optional(boolean()),
      until: optional(timestamp()),
      status: state('new', 'old', 'lost'),
      author: one('User'),
      editor: optional(one('User')),
      topic: one('Topic'),
    },
    actions: {
      read: { allow: rules.read as never },
      update: { allow: rules.update as never, accept: ['word'] },
      delete: { allow: rules.delete as never },
      open: move(rules.open) as never,
      sendBack: move(rules.sendBack) as never,
    },
  })
  return compileModel(
    service({
      resources: { User, Topic, Note } as never,
      accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' } as never,
      roles: { NONE: {}, OWN: {}, ANY: {} },
    }),
  )
}

const { rule: ruleArbitrary } = fc.letrec<{ rule: RuleNode; leaf: RuleNode }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<RuleNode>({ rule: 'anyone' }, { rule: 'nobody' }, { rule: 'signedIn' }),
    fc.constantFrom('author', 'editor').map((relation): RuleNode => ({ rule: 'own', relation })),
    fc.constant<RuleNode>({ rule: 'readable', relation: 'topic' }),
    fc
      .constantFrom<Readonly<Record<string, unknown>>>(
        { status: 'new' },
        { isOpen: true },
        { isOpen: null },
        { until: { present: true } },
      )
      .map((values): RuleNode => ({ rule: 'when', values })),
  ),
  rule: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('leaf'),
    tie('leaf').map((of): RuleNode => ({ rule: 'not', of })),
    fc
      .constantFrom<RuleNode>({ rule: 'own', relation: 'owner' }, { rule: 'when', values: { isOpen: true } })
      .map((of): RuleNode => ({ rule: 'through', relation: 'topic', of })),
    fc
      .constantFrom<RuleNode>({ rule: 'own', relation: 'author' }, { rule: 'when', values: { status: 'lost' } })
      .map((of): RuleNode => ({ rule: 'through', relation: 'topic', of: { rule: 'some', list: 'notes', of } })),
    tie('leaf').map((mine): RuleNode => ({ rule: 'may', verb: 'touch', mine })),
    fc.array(tie('rule'), { minLength: 2, maxLength: 3 }).map((rules): RuleNode => ({ rule: 'anyOf', rules })),
    fc.array(tie('rule'), { minLength: 2, maxLength: 2 }).map((rules): RuleNode => ({ rule: 'allOf', rules })),
  ),
}))
const fromArbitrary = fc.constantFrom<unknown>(
  undefined,
  'new',
  ['old', 'lost'],
  { isOpen: true },
  { isOpen: null },
  { until: { present: true } },
  { until: { present: false }, word: 'b' },
  { until: at },
)
const askArbitrary = fc.record({ rule: ruleArbitrary, from: fromArbitrary })
const topicRule: RuleNode = {
  rule: 'anyOf',
  rules: [
    { rule: 'own', relation: 'owner' },
    { rule: 'when', values: { isOpen: true } },
  ],
}
const rulesArbitrary: fc.Arbitrary<Rules> = fc.record({
  // Most records can be read, so that there is something to tell.
  read: fc.oneof(fc.constant<RuleNode>({ rule: 'anyone' }), ruleArbitrary),
  ofTopics: fc.constant(topicRule),
  update: ruleArbitrary,
  delete: ruleArbitrary,
  open: askArbitrary,
  sendBack: askArbitrary,
})
const permissions = { NONE: [], OWN: ['notes:touch_own'], ANY: ['notes:touch_any'] } as const
const scopesArbitrary = fc.constantFrom<readonly string[] | null>(
  null,
  ['read:notes'],
  ['read:*', 'update:notes', 'open:notes'],
  ['read:notes', 'sendBack:*', 'delete:topics'],
  ['*'],
)
const actorArbitrary = fc.option(
  fc.record({ place: fc.nat({ max: 2 }), role: fc.constantFrom('NONE', 'OWN', 'ANY'), scopes: scopesArbitrary }),
)

/** Undoes what a write did once it was done. */
class Undone extends Error {}
function* undo<T>(program: Program<T>): Program<T> {
  let next: IteratorResult<Step, T> = program.next([])
  while (next.done !== true) {
    let rows: readonly StoredRow[]
    try {
      rows = yield next.value
    } catch (error) {
      next = program.throw(error)
      continue
    }
    next = program.next(rows)
  }
  throw new Undone()
}

forEachEngine((engine) => {
  let database: TestDatabase
  let store: Store
  let users: readonly string[]
  let notes: readonly string[]
  const seed = Date.now()
  const dialect = dialectOf(engine)
  before(async () => {
    database = await createDatabase(engine)
    store = await openStore(database.url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
    const anyone: RuleNode = { rule: 'anyone' }
    const ask = { rule: anyone }
    const usual = { read: anyone, ofTopics: anyone, update: anyone, delete: anyone, open: ask, sendBack: ask }
    const model = modelOf(usual)
    await migrate(store, desiredSchema(model, dialect, []))
    ;[users, notes] = await fill(model, store, seed)
  })
  after(async () => {
    await store?.close()
    await database?.drop()
  })

  const runnerOf = (model: Model): Runner =>
    quietRunner({
      model,
      // A proxy, so that whatever else the store has stays its own.
      store: new Proxy(store, {
        get: (of, name) =>
          name === 'write'
            ? (program: () => Program<unknown>, options: never) => of.write(() => undo(program()), options)
            : typeof of[name as keyof Store] === 'function'
              ? (of[name as keyof Store] as (...args: unknown[]) => unknown).bind(of)
              : of[name as keyof Store],
      }),
      dialect,
      plans: createPlanCache(model, dialect),
      clock: () => at,
      newId: ({ prefix }, now) => makeId(prefix, now),
    })

  test('what can be done is what succeeds, and nothing else', async () => {
    let possible = 0
    await fc.assert(
      fc.asyncProperty(rulesArbitrary, actorArbitrary, async (rules, asked) => {
        const model = modelOf(rules)
        const runner = runnerOf(model)
        const actor = asked === null ? null : actorOf(users[asked.place]!, asked.role, asked.scopes)
        const answer = await readCan(runner, model, actor)
        const actions = recordActions(model.byName.get('Note')!)
        for (const id of notes) {
          const can = answer.get(id)
          for (const action of actions) {
            const call = {
              action,
              actor,
              input: () => ({ targets: [{ id, input: action.kind === 'update' ? { word: 'c' } : {} }] }),
              vocabulary: asDefined,
              root: null,
              lists: [],
              request: null,
            }
            const outcome = await runner.write(call).then(
              () => 'kept',
              (error: unknown) => (error instanceof Undone ? 'done' : error instanceof Failure ? error.code : error),
            )
            // What cannot be read is not there to begin anything with.
            assert.equal(outcome === 'done', can?.[action.name] ?? false, `${action.name} of ${id}: ${outcome}`)
            if (outcome === 'done') possible++
          }
        }
      }),
      { numRuns: samples(engine === 'sqlite' ? 40 : 20), seed },
    )
    assert.ok(possible > 40, `${possible} tries succeeded`)
  })
})

/** What is told of each note that the actor may read. */
async function readCan(
  runner: Runner,
  model: Model,
  actor: Actor | null,
): Promise<ReadonlyMap<string, Readonly<Record<string, boolean>>>> {
  const resource = model.byName.get('Note')!
  const of = makeSelection(resource, asDefined, { fields: [resource.fields.get('id')!], links: [], can: true })
  const sort = totalOrder(resource, [{ column: resource.column.get('createdAt')!, descending: true }])
  const list = { resource, filters: [], sort, seek: null, backward: false, offset: true }
  const root = { kind: 'list', list, within: null, parts: { as: 'array', of }, total: false } as const
  const size = { size: 100, offset: 0, cursor: null, filter: [], binding: null, countMax: 1_000 }
  const source = { resource, within: null }
  try {
    const answer = await runner.list({
      source,
      actor,
      vocabulary: asDefined,
      input: () => ({ root, list: size }),
      lists: [],
    })
    const records: readonly { id: string; can: Record<string, boolean> }[] = JSON.parse(answer.json!)
    return new Map(records.map(({ id, can }) => [id, can]))
  } catch (error) {
    if (error instanceof Failure && [401, 403].includes(error.status)) return new Map()
    throw error
  }
}

function actorOf(id: string, role: keyof typeof permissions, scopes: readonly string[] | null): Actor {
  return {
    id,
    role,
    permissions: new Set(permissions[role]),
    scopes: scopes === null ? null : new Set(scopes),
    credential: noCredential,
  }
}

async function fill(model: Model, store: Store, seed: number): Promise<readonly [string[], string[]]> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  let count = 0
  const insert = async (name: string, values: Readonly<Record<string, unknown>>): Promise<string> => {
    const resource = model.byName.get(name)!
    const id = makeId(resource.prefix, new Date(at.getTime() + ++count))
    const record = { ...newRecord(resource, id, values, at), ...values }
    const hashes = new Map([['password', 'x']])
    await store.write(() => insertRecord(resource, { record, hashes }, { statements, dialect, cipher: null }))
    return id
  }
  const users: string[] = []
  for (let place = 0; place < 3; place++) users.push(await insert('User', { email: `u${place}@example.com` }))
  const topics: string[] = []
  for (const isOpen of [true, false]) topics.push(await insert('Topic', { isOpen, owner: users[0] }))
  const someone = fc.constantFrom(...users)
  const noteArbitrary = fc.record({
    word: fc.constantFrom('a', 'b'),
    isOpen: fc.constantFrom(null, true, false),
    until: fc.constantFrom(null, at),
    status: fc.constantFrom('new', 'old', 'lost'),
    author: someone,
    editor: fc.option(someone),
    topic: fc.constantFrom(...topics),
  })
  const notes: string[] = []
  for (const each of fc.sample(noteArbitrary, { numRuns: 10, seed })) notes.push(await insert('Note', each))
  return [users, notes]
}
