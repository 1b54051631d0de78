// Random operations through the plans, and through graphql-js over naive resolvers: the answers are equal, errors, paths
// and places included. `ORACLE_OPERATIONS=20000 npm test -- test/service/graphql-oracle.test.ts` asks for more, from `ORACLE_SEED` on.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFace, type Face } from '../../src/graphql/face.ts'
import { defaultLimits } from '../../src/limits.ts'
import { allOptimisations, type Optimisations } from '../../src/read-plan/optimise/optimise.ts'
import type { Actor } from '../../src/resource/actor.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { type Dialect, dialectOf, postgresDialect } from '../../src/store/sql/text/dialect.ts'
import type { Engine } from '../../src/store/store.ts'
import { fullTuning, type Tuning } from '../../src/store/tuning.ts'
import { freezeRows } from '../support/check/frozen-rows.ts'
import { lesserTunings } from '../support/domain/tunings.ts'
import { copyOf } from '../support/oracle/mutate.ts'
import { executeNaively, idOfCursor } from '../support/oracle/naive.ts'
import { type Choices, type MadeQuery, makeMutation, makeQuery } from '../support/oracle/query.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import { countIds, makeWorld, type World, worldSchema } from '../support/oracle/world.ts'
import { forEachEngineAtOnce } from '../support/server/databases.ts'
import { createWithTables } from '../support/server/migrated-database.ts'

const operationCount = process.env['ORACLE_OPERATIONS']
const firstSeed = Number(process.env['ORACLE_SEED'] ?? 1)
/** After so many operations that write, a new world: in an old one little is left to delete. */
const writesPerWorld = 100

/** All that mutations change, with what they may have made, changed, linked or deleted beside it. */
const everything = `{
  userList(limit: 100) { id name followers(limit: 100) { id } following(limit: 100) { id } }
  postList(limit: 100) {
    id title content tags publishedAt updatedAt author { id }
    comments(limit: 100) { id content createdAt updatedAt author { id } }
  }
  articleList(limit: 100) { id title body status }
}`

/** Each optimisation left out, and all of them. */
const lesser: readonly (readonly [name: string, Optimisations])[] = [
  ['joins', { ...allOptimisations, join: false }],
  ['references back to parents', { ...allOptimisations, backReference: false }],
  ['lists as text', { ...allOptimisations, jsonText: false }],
  ['any optimisation', { join: false, backReference: false, jsonText: false }],
]

const withoutVariants: Dialect = { ...postgresDialect, valueTable: null, inlinesLimits: false }

forEachEngineAtOnce((engine) => {
  const queries = Number(operationCount ?? (engine === 'sqlite' ? 250 : 100))
  test(`${queries} random queries are answered as graphql-js would`, { timeout: 3_600_000 }, async (t) => {
    await compareQueries(queries, await open(engine, firstSeed, t))
  })

  for (const [name, optimisations] of lesser) {
    const sample = Math.ceil(queries / 5)
    test(`${sample} of them are, too, without ${name}`, { timeout: 3_600_000 }, async (t) => {
      await compareQueries(sample, await open(engine, firstSeed, t, { optimisations }))
    })
  }

  for (const [name, tuning] of [['nothing', fullTuning] as const, ...lesserTunings(engine)]) {
    const sample = Math.ceil(queries / 5)
    test(`${sample} of them sent eight at a time are, too, if the store goes without ${name}`, {
      timeout: 3_600_000,
    }, async (t) => {
      await compareQueries(sample, await open(engine, firstSeed, t, { tuning }), 8)
    })
  }

  if (engine === 'postgres') {
    const sample = Math.ceil(queries / 5)
    test(`${sample} of them sent eight at a time are, too, without variants of SQL`, {
      timeout: 3_600_000,
    }, async (t) => {
      await compareQueries(sample, await open(engine, firstSeed, t, { dialect: withoutVariants }), 8)
    })
  }

  const writes = Number(operationCount ?? (engine === 'sqlite' ? 150 : 60))
  test(`${writes} random mutations and what is read after them, too`, { timeout: 3_600_000 }, async (t) => {
    let done = 0
    for (let first = firstSeed; first < firstSeed + writes; first += writesPerWorld) {
      const { face, world: made, bugs, close } = await open(engine, first, t)
      const world = { ...copyOf(made), ...countIds() }
      for (let seed = first; seed < Math.min(first + writesPerWorld, firstSeed + writes); seed++) {
        const random = createRandom(seed)
        const [, admin, editor, other] = world.actors
        const actor = random.one(random.chance(0.8) ? [admin!, admin!, editor!, other!] : world.actors)
        for (const counting of [made, world]) counting.countIdsFrom(seed * 1_000)
        const choices = choicesOf(world, face, actor, random)
        const make = random.chance(0.75) ? makeMutation : makeQuery
        const operation = await make(face.schema(), random, choices)
        const isAnswered = await compare(seed, operation, { face, world, actor, bugs })
        if (make === makeQuery) continue
        if (isAnswered) done++
        await compare(seed, { text: everything, variables: {} }, { face, world, actor: admin!, bugs })
      }
      await close()
    }
    // One that fails ends its operation: without many that do not, little would have been asked.
    assert.ok(done > writes / 6, `only ${done} were carried out`)
  })
})

interface Opened {
  readonly face: Face
  readonly world: World
  readonly bugs: readonly unknown[]
}
interface Comparing extends Opened {
  readonly actor: Actor | null
}

/** Asks `concurrency` of them at the same time, as those do whose reads a store combines. */
async function compareQueries(count: number, opened: Opened, concurrency = 1): Promise<void> {
  const { face, world } = opened
  for (let first = firstSeed; first < firstSeed + count; first += concurrency) {
    const questions: (() => Promise<boolean>)[] = []
    for (let seed = first; seed < Math.min(first + concurrency, firstSeed + count); seed++) {
      const random = createRandom(seed)
      const actor = random.one(world.actors)
      const made = await makeQuery(face.schema(), random, choicesOf(world, face, actor, random))
      questions.push(() => compare(seed, made, { ...opened, actor }))
    }
    await Promise.all(questions.map((ask) => ask()))
  }
}

/** Answers whether all of it could be done. */
async function compare(seed: number, { text, variables }: MadeQuery, comparing: Comparing): Promise<boolean> {
  const { face, world, actor, bugs } = comparing
  const answered = normal(await ask(face, actor, text, variables))
  const expected = normal(plain(executeNaively(face.schema(), text, variables, { world, actor })))
  const context = () =>
    `seed ${seed}, as ${actor?.role ?? 'nobody'} ${[...(actor?.scopes ?? [])]}\n${text}\n${JSON.stringify(variables)}`
  const [bug] = bugs as readonly Error[]
  if (bug !== undefined) throw Object.assign(bug, { message: `${bug.message}\n${context()}` })
  // As text, so that the order of keys counts.
  if (JSON.stringify(answered) !== JSON.stringify(expected)) assert.deepEqual(answered, expected, context())
  assert.equal(JSON.stringify(answered), JSON.stringify(expected), context())
  return answered.errors.length === 0
}

async function ask(face: Face, actor: Actor | null, query: string, variables = {}): Promise<Body> {
  const request = { query, variables, operationName: null, hash: null }
  const { body } = await face.execute(request, { actor, requestId: 'test' }, async () => {})
  return JSON.parse(body)
}

const choicesOf = (world: World, face: Face, actor: Actor | null, random: Random): Choices => ({
  // Those of the living, and those that were there at first.
  living: (type) => (world.rows.get(type) ?? []).map(({ id }) => id),
  ids: (type) => [...(world.rows.get(type) ?? []).map(({ id }) => id), ...world.ids.get(type)!.slice(-4)],
  comments: (post) => world.rows.get('Comment')!.flatMap((each) => (each['post'] === post ? each.id : [])),
  async cursor(plural, narrowing) {
    const args = narrowing === '' ? '' : `, ${narrowing}`
    const { data } = await ask(face, actor, `{ ${plural}(first: 100${args}) { edges { cursor } } }`)
    const edges = (data as Record<string, { edges: { cursor: string }[] }> | null)?.[plural]?.edges ?? []
    return edges.length === 0 ? null : random.one(edges).cursor
  },
})

interface OpenOptions {
  readonly optimisations?: Optimisations
  readonly tuning?: Tuning
  readonly dialect?: Dialect
}

async function open(engine: Engine, seed: number, t: TestContext, options: OpenOptions = {}) {
  const database = await createWithTables(worldSchema(dialectOf(engine)))
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const { tuning = fullTuning, ...plans } = options
  const store = freezeRows(await openStore(database.url, { limits: defaultLimits, log, tuning }))
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await store.close()
    await database.drop()
  }
  t.after(close)
  const world = await makeWorld(store, createRandom(seed), plans)
  const bugs: unknown[] = []
  const { model, runner, dialect } = world
  // What limits refuse is for their own tests; here everything runs.
  const limits = { ...defaultLimits, queryDepth: 100, queryComplexity: 1e6, queryNodes: 1e12 }
  const face = createFace({ model, runner, dialect, development: true, reportBug: (bug) => bugs.push(bug), limits })
  return { face, world, bugs, close }
}

interface Body {
  readonly data?: unknown
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly unknown[]
    readonly locations?: readonly unknown[]
    readonly extensions: unknown
  }[]
}
const plain = (value: unknown): Body => JSON.parse(JSON.stringify(value))

/** Cursors as the oracle writes them; of the places of an error the first, for what is said twice is read once. */
function normal({ data, errors = [] }: Body) {
  return {
    data: withoutCursors(data),
    errors: errors.map(({ message, path, locations, extensions }) => ({
      message,
      path,
      at: locations?.[0],
      extensions,
    })),
  }
}

function withoutCursors(value: unknown): unknown {
  if (typeof value === 'string') return /^Wy[I-L]/.test(value) ? `cursor:${idOfCursor(value)}` : value
  if (Array.isArray(value)) return value.map(withoutCursors)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutCursors(each)]))
}
