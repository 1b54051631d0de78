// Random operations through the plans, and through graphql-js over naive resolvers: the answers are equal, errors, paths
// and places included. `ORACLE_OPERATIONS=20000 npm test -- test/graphql-oracle.test.ts` asks for more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFace } from '../src/graphql/face.ts'
import { defaultLimits } from '../src/limits.ts'
import { openStore } from '../src/store/open.ts'
import { createDatabase, forEachEngine } from './support/databases.ts'
import { executeNaively, idOfCursor } from './support/oracle/naive.ts'
import { type Choices, makeQuery } from './support/oracle/query.ts'
import { createRandom } from './support/oracle/random.ts'
import { makeWorld } from './support/oracle/world.ts'

const asked = process.env['ORACLE_OPERATIONS']
const firstSeed = Number(process.env['ORACLE_SEED'] ?? 1)

forEachEngine((engine) => {
  const operations = Number(asked ?? (engine === 'sqlite' ? 2_000 : 500))
  test(`${operations} random operations are answered as graphql-js would`, { timeout: 600_000 }, async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const store = await openStore(database.url, { limits: defaultLimits, log })
    t.after(() => store.close())
    const world = await makeWorld(store, createRandom(firstSeed))
    const bugs: unknown[] = []
    const face = createFace({
      model: world.model,
      runner: world.runner,
      dialect: world.dialect,
      development: true,
      reportBug: (bug) => bugs.push(bug),
      // What limits refuse is for their own tests; here everything runs.
      limits: { ...defaultLimits, queryDepth: 100, queryComplexity: 1e6, queryNodes: 1e12 },
    })

    for (let seed = firstSeed; seed < firstSeed + operations; seed++) {
      const random = createRandom(seed)
      const actor = random.one(world.actors)
      const ask = async (query: string, variables = {}) => {
        const request = { query, variables, operationName: null, persisted: null }
        const { body } = await face.execute(request, { actor, requestId: 'test' }, async () => {})
        return JSON.parse(body)
      }
      const choices: Choices = {
        ids: (type) => world.ids.get(type)!,
        async cursor(plural, narrowing) {
          const args = narrowing === '' ? '' : `, ${narrowing}`
          const { data } = await ask(`{ ${plural}(first: 100${args}) { edges { cursor } } }`)
          const edges = data?.[plural]?.edges ?? []
          return edges.length === 0 ? null : random.one(edges as { cursor: string }[]).cursor
        },
      }
      const { text, variables } = await makeQuery(face.schema(), random, choices)
      const answered = normal(await ask(text, variables))
      const expected = normal(plain(executeNaively(face.schema(), text, variables, { world, actor })))
      const context = () =>
        `seed ${seed}, as ${actor?.role ?? 'nobody'} ${[...(actor?.scopes ?? [])]}\n${text}\n${JSON.stringify(variables)}`
      if (bugs.length > 0)
        throw Object.assign(bugs[0] as Error, { message: `${(bugs[0] as Error).message}\n${context()}` })
      // As text, so that the order of keys counts.
      if (JSON.stringify(answered) !== JSON.stringify(expected)) assert.deepEqual(answered, expected, context())
      assert.equal(JSON.stringify(answered), JSON.stringify(expected), context())
    }
  })
})

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
