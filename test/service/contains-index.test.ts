// `contains` and `endsWith` find their records by the index of parts, and lose none. (contract 12.1.22)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, signedIn, text } from 'duet-api'
import { type Bound, bind, command, type Engine, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import { accounts, User } from '../support/domain/account.ts'

const rows = 2_000
const Part = resource('Part', {
  prefix: 'prt',
  fields: { sku: text({ max: 450 }), note: text({ max: 451 }) },
  where: ['sku', 'note'],
  anywhere: ['sku', 'note'],
  actions: { read: { allow: anyone }, create: { allow: signedIn, accept: ['sku', 'note'] } },
})
const parts = service({ resources: { User, Part }, accounts, roles: { ANY: {} } })

const skuOf = (at: number): string => `AB-${String(at).padStart(6, '0')}/x`

withQuietService(
  '12.1.22 contains and endsWith',
  (running) => {
    let made: Promise<unknown> | undefined
    const make = async () => {
      const fixtures = running().fixtures({})
      for (let from = 0; from < rows; from += 100) {
        const all = Array.from({ length: 100 }, (_, at) => ({ sku: skuOf(from + at), note: `n${from + at}` }))
        const { status } = await running().send('POST /api/v1/parts/batch', {
          as: 'viewer',
          fixtures,
          body: { parts: all },
        })
        assert.equal(status, 201)
      }
      if (running().engine === 'postgres') await running().store.write(analyze)
    }
    const ask = async (where: string) => {
      made ??= make()
      await made
      const { statements, answer } = await overheard(running, where)
      const list = statements.find(({ statement }) => /from "parts"/.test(statement.sql))!
      const plan = (await running().store.write(() => explained(list, running().engine))).join('\n')
      return { plan, answer: answer.map(({ sku }) => sku) }
    }
    const isIndexed = (plan: string): boolean =>
      running().engine === 'sqlite'
        ? /search VIRTUAL TABLE|VIRTUAL TABLE INDEX/.test(plan)
        : /Bitmap Index Scan on parts_note__parts_sku__parts/.test(plan)

    for (const [where, found] of [
      ['contains(sku, "B-001234")', [1234]],
      ['endsWith(sku, "-000777/x")', [777]],
      ['contains(sku, "b-001234")', []],
    ] as const)
      test(`${where} uses the index`, async () => {
        const { plan, answer } = await ask(where)
        assert.deepEqual(answer, found.map(skuOf))
        assert.ok(isIndexed(plan), plan)
      })

    for (const where of ['contains(sku, "-0")', 'endsWith(sku, "é")', 'contains(note, "n1234")'])
      test(`${where} cannot: a text that is too short, has other letters, or belongs to a field of any length`, async () => {
        const { plan } = await ask(where)
        assert.ok(!isIndexed(plan), plan)
      })
  },
  { definition: parts },
)

async function overheard(running: Parameters<Parameters<typeof withQuietService>[1]>[0], where: string) {
  let answer: readonly { readonly sku: string }[] = []
  const { statements } = await overhear(running(), async () => {
    const path = `GET /api/v1/parts?per_page=20&where=${encodeURIComponent(where)}`
    const { status, body, text: sent } = await running().send(path, { as: 'viewer', fixtures: running().fixtures({}) })
    assert.equal(status, 200, sent)
    answer = body.data
  })
  return { statements, answer }
}

function* analyze(): Program<void> {
  yield bind(command('analyze parts'))
}

/** In a transaction, so that PostgreSQL leaves out what it does for small tables. */
function* explained({ statement, values }: Bound, engine: Engine): Program<readonly string[]> {
  if (engine === 'postgres') yield bind(command('set local enable_seqscan = off'))
  const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
  const lines: readonly StoredRow[] = yield bind(query(`${how} ${statement.sql}`), ...values)
  return lines.map((line) => String(line.at(-1)))
}
