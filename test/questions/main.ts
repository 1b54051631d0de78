// `npm run questions -- 100000`: so many random questions of each database, by random readers and through both faces: conditions,
// searches, orders and sums, whose answers are compared with filtering, sorting and adding up in memory what the reader can read; and
// writes of many, which are compared with the same writes one by one.
// `--engine postgres` asks only that one, `--seed 7` begins elsewhere. It ends at the first answer that differs. (contract 12.1.4, 13.7.2)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { Engine } from '../../src/store/store.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string' }, seed: { type: 'string', default: '1' } },
})
/** Many rounds find more than long ones: each has other records and readers. */
const roundSize = 10_000
/** What each kind has of a round: walks through all pages of an order or a summary are many requests, and so are writes. */
const kinds = [
  { share: 0.65, file: 'test/service/where-agreement.test.ts', title: '12.1.4 for' },
  { share: 0.2, file: 'test/contract/12-search-agreement.test.ts', title: '12.2.14 any question' },
  { share: 0.05, file: 'test/contract/12-sort.test.ts', title: '12.2.3 pages of any order' },
  { share: 0.05, file: 'test/contract/12-summary-oracle.test.ts', title: '12.2.22 groups' },
  { share: 0.05, file: 'test/service/bulk-agreement.test.ts', title: '13.7.2 for' },
] as const

const wanted = Number(positionals[0] ?? 10_000)
const engines = values.engine === undefined ? (['sqlite', 'postgres'] as const) : [values.engine as Engine]
for (const engine of engines) await askAll(engine)

async function askAll(engine: Engine): Promise<void> {
  const start = performance.now()
  let count = 0
  for (let seed = Number(values.seed); count < wanted; seed++) {
    const round = Math.min(roundSize, wanted - count)
    for (const { share, file, title } of kinds) {
      const questions = Math.ceil(round * share)
      await run(file, title, { TEST_ENGINE: engine, QUESTIONS: String(questions), QUESTIONS_SEED: String(seed) })
      count += questions
    }
    const seconds = ((performance.now() - start) / 1_000).toFixed(0)
    console.log(`${engine}: ${count} questions agree, seed ${seed}, ${seconds} s`)
  }
}

/** Ends the process where the test fails. */
async function run(file: string, title: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const args = ['--conditions=duet-source', '--test', `--test-name-pattern=${title}`, file]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => output.push(piece))
  const [code] = await once(child, 'close')
  if (code === 0) return
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  console.error(`${Buffer.concat(output)}\n${settings.join(' ')} npm test -- ${file}`)
  process.exit(1)
}
