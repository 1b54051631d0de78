// One rule, many readings: SQL narrows lists, counts, single reads and writes, asks for an audience of an event and of a record
// that is yet to be made. For random rules that lead from record to record, random records and actors, all of them say what
// the rule says, word by word, on both databases. (contract 2.7, 5.4.3)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ApiKey,
  acrossTenants,
  allOf,
  anyOf,
  choice,
  many,
  may,
  member,
  one,
  own,
  resource,
  service,
  text,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { getOrInsert } from '../../src/cache/get-or-insert.ts'
import { createRuleReader } from '../../src/event/rule-record.ts'
import { defaultLimits } from '../../src/limits.ts'
import { compileRead } from '../../src/read-plan/compile.ts'
import { allOptimisations } from '../../src/read-plan/optimise/optimise.ts'
import { runList, runRecord } from '../../src/read-plan/run.ts'
import { type Root, totalOrder } from '../../src/read-plan/selection.ts'
import { actorIdOf, codeHashOf, type Requester, type Shown } from '../../src/resource/actor.ts'
import type { ResourceModel } from '../../src/resource/model/model.ts'
import { type Condition, fold, ofNewRecord } from '../../src/resource/model/rule/condition.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo } from '../../src/store/sql/text/sql-text.ts'
import { candidateColumns } from '../../src/store/sql/write/write.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import type { Program, Store } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { User as Account, accounts } from '../support/domain/account.ts'
import { says } from '../support/oracle/plain-rule.ts'
import { callerArbitrary, leadArbitrary, ruleArbitrary } from '../support/oracle/rule-arbitraries.ts'
import {
  actorOf,
  callerOf,
  codeSets,
  model,
  plain,
  type Row,
  requesterOf,
  requestTime,
  shownCodes,
  topicRules,
  topics,
  type World,
  withRules,
} from '../support/oracle/rule-world.ts'
import { fill } from '../support/oracle/rule-world-rows.ts'
import { select as selection } from '../support/rows/selection.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

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
        callerArbitrary,
        async (rule, ofTopics, asked) => {
          const actor = requesterOf(asked, world)
          const resource = withRules(rule, ofTopics)
          const condition = fold(rule, resource, actor)
          const caller = callerOf(actor, world)
          const expected = world.notes
            .filter((note) => !note.isDeleted && says(rule, plain(note, resource, world), caller))
            .map((note) => note.id)
            .sort()
          const selected = await select(resource, condition, actor, store, world)
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
              says(ofTopics, plain(side, { ...topics, read: { ...topics.read, allow: ofTopics } }, world), caller)
            return isReadable ? { word: side['word'] } : null
          }
          const sides = new Map(world.notes.map((note) => [note.id, sideOf(note)]))
          const expectedSides = expected.map((note) => [note, sides.get(note)])
          assert.deepEqual(selected.joined, expectedSides, 'a reference by a join')
          assert.deepEqual(selected.unjoined, expectedSides, 'a reference by a statement')
        },
      ),
      { numRuns: samples(engine === 'sqlite' ? 60 : 30), seed },
    )
  })

  test('many rules at once, of stored records and of records to be made', async () => {
    const dialect = dialectOf(engine)
    const statements = createWriteStatements(dialect)
    const living = world.notes.filter((note) => !note.isDeleted)
    const several = fc.array(ruleArbitrary, { minLength: 20, maxLength: 20 })
    let cases = 0
    await fc.assert(
      fc.asyncProperty(several, fc.constantFrom(...topicRules), callerArbitrary, async (rules, ofTopics, asked) => {
        const actor = requesterOf(asked, world)
        const resource = withRules(rules[0]!, ofTopics)
        const conditions = rules.map((each) => fold(each, resource, actor))
        const asking = { actor: actorIdOf(actor), code: codeHashOf(actor), requestTime }
        const caller = callerOf(actor, world)
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
              says(each, plain(row, resource, world), caller),
              JSON.stringify([each, row, actor]),
            )
          })
          assert.equal(
            made[index],
            says(each, plain(candidate, resource, world), caller),
            JSON.stringify([each, candidate]),
          )
        }
      }),
      { numRuns: samples(engine === 'sqlite' ? 15 : 10), seed },
    )
    assert.ok(cases > 3_000, `${cases} cases`)
  })

  test('an audience is the callers for whom the rule holds, checked together', async () => {
    const reader = createRuleReader(dialectOf(engine), 2)
    const actors = [
      null,
      ...world.users.flatMap(({ id }) => (['NONE', 'OWN', 'ANY'] as const).map((role) => actorOf(id, role))),
    ]
    const callers = actors.flatMap((each) => [each, ...codeSets.map((code) => ({ ...each, ...shownCodes(code) }))])
    const shownBy = (caller: Requester) => ({ actor: actorIdOf(caller), code: codeHashOf(caller) })
    await fc.assert(
      fc.asyncProperty(
        ruleArbitrary,
        fc.constantFrom(...topicRules),
        fc.nat({ max: 59 }),
        async (each, ofTopics, at) => {
          const resource = withRules(each, ofTopics)
          const note = world.notes[at]!
          const byCondition = new Map<Condition, Shown[]>()
          for (const actor of callers)
            getOrInsert(byCondition, fold(each, resource, actor), () => []).push(shownBy(actor))
          const holds = await store.read(reader.evaluate({ resource, id: note.id }, byCondition, requestTime))
          for (const actor of callers) {
            const isExpected = !note.isDeleted && says(each, plain(note, resource, world), callerOf(actor, world))
            assert.equal(
              holds?.(fold(each, resource, actor), shownBy(actor)) ?? false,
              isExpected,
              JSON.stringify([each, note, actor]),
            )
          }
        },
      ),
      { numRuns: samples(30), seed },
    )
  })
})

const isTrue = (value: unknown): boolean => value === true || value === 1

async function select(resource: ResourceModel, condition: Condition, actor: Requester, store: Store, world: World) {
  const dialect = dialectOf(store.engine)
  const ids = world.notes.map(({ id }) => id)
  const of = selection(resource, ['id', { side: ['word'] }])
  const createdAt = { column: resource.column.get('createdAt')!, descending: true }
  const list: Root = {
    kind: 'list',
    list: { resource, filters: [], sort: totalOrder(resource, [createdAt]), seek: null, backward: false, offset: true },
    within: null,
    parts: { as: 'array', of },
    total: true,
  }
  const values = {
    actor: actorIdOf(actor),
    code: codeHashOf(actor),
    requestTime,
    lists: [],
    list: { size: 100, offset: 0, cursor: null, filter: [], binding: null, countMax: 1_000 },
  }
  const answer = await store.read(runList(compileRead(list, actor, dialect), values, dialect))
  const paged: string[] = []
  for (let offset = 0; ; offset += pageSize) {
    const page = { ...values, list: { ...values.list, size: pageSize, offset } }
    const listed = JSON.parse((await store.read(runList(compileRead(list, actor, dialect), page, dialect)))!.json!)
    paged.push(...listed.map(({ id }: Listed) => id))
    if (listed.length < pageSize) break
  }
  const unjoinedPlan = compileRead(list, actor, dialect, { ...allOptimisations, join: false })
  const unjoined = await store.read(runList(unjoinedPlan, values, dialect))
  const joinedNotes: readonly Listed[] = JSON.parse(answer!.json!)
  const first = ids[0]!
  const record = compileRead({ kind: 'record', of, etag: false }, actor, dialect)
  const found = await store.read(runRecord(record, { ...values, id: first }, dialect))
  const statements = createWriteStatements(dialect)
  const rows = await store.read(
    (function* (): Program<readonly (readonly unknown[])[]> {
      return yield statements.load(
        { resource, conditions: [condition], columns: [], lock: null },
        { actor: values.actor, code: values.code, requestTime },
        ids,
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
const pageSize = 7

const sidesOf = (listed: readonly Listed[]) =>
  listed.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, side }) => [id, side])
interface Listed {
  readonly id: string
  readonly side: { readonly word: string } | null
}

test('5.4.3 rules mean the same however they are nested, also to members and across tenants', () => {
  const leaf = fc.constantFrom(
    acrossTenants(may('read')),
    acrossTenants(anyOf(may('read'), anyOf(own('by'), when({ text: 'x' })))),
    may('read'),
    own('by'),
    member('team'),
    when({ text: 'y' }),
  )
  // No acrossTenants stands in an allOf.
  const inner = fc.constantFrom(may('read'), own('by'), member('team'), when({ text: 'x' }))
  const part = fc.oneof(
    leaf,
    fc.array(inner, { minLength: 1, maxLength: 4 }).map((rules) => ({ all: rules })),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
      const built = (join: typeof nested) =>
        readRuleOf(
          join(
            parts.map((each) => ('all' in each ? join(each.all as never[], cuts, allOf as never) : each)) as never[],
            cuts,
            anyOf as never,
          ),
        )
      assert.deepEqual(
        built(nested),
        built((rules, _, join) => (rules.length === 1 ? rules[0]! : join(...rules))),
      )
    }),
    { numRuns: 50 },
  )
})

type AnyOf = (...rules: never[]) => never
/** The same rules in order, with brackets around neighbours at these places. */
function nested(rules: readonly never[], cuts: readonly number[], join: AnyOf): never {
  const parts = [...rules]
  for (const cut of cuts) {
    const start = cut % parts.length
    parts.splice(start, 2, join(...parts.slice(start, start + 2)))
  }
  return join(...parts)
}

function readRuleOf(allow: never) {
  const Team = resource('Team', {
    prefix: 'team',
    fields: { members: many('Membership', 'team') },
    members: { list: 'members', account: 'user', role: 'role' },
    actions: { read: { allow: member() } },
  } as never)
  const Membership = resource('Membership', {
    prefix: 'mbr',
    within: 'team',
    fields: { team: one('Team'), user: one('User'), role: choice(['OWNER', 'MEMBER']) },
    actions: { read: { allow: member('team') } },
  } as never)
  const Note = resource('Note', {
    prefix: 'note',
    within: 'team',
    fields: { team: one('Team'), by: one('User'), text: text({ max: 9 }) },
    actions: { read: { allow }, delete: { allow: may('read') } },
  } as never)
  const definition = service({
    resources: { User: { ...Account }, Team, Membership, Note, ApiKey },
    accounts,
    roles: { ANY: { notes: ['read'], acrossTenants: ['Team'] } },
    tenantRoles: { Team: { OWNER: 'everything', MEMBER: {} } },
  } as never)
  return compileService(definition).byName.get('Note')!.read.allow
}
