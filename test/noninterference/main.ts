// `npm run noninterference -- 100000`: that many requests to pairs of services that one person must not be able to tell
// apart, until an answer differs. `--engine postgres`, `--seed 7`, `--service generated`. With `--mutants`, the service with
// each of its conditions taken out in turn: every one must be noticed; `--only driving-table` takes those whose file or text has
// this in it. A signal ends it after the pair that is being asked. (contract 10.4)

import { parseArgs } from 'node:util'
import { mutants } from '../support/noninterference/mutants.ts'
import { judgeMutant, type Verdict } from '../support/noninterference/mutate.ts'
import { comparePair } from '../support/noninterference/pair.ts'
import { subjects } from '../support/noninterference/subjects.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '1' },
    service: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
/** Many pairs find more than long ones: each has other people, records and rules. */
const requestsPerPair = 100
const isWanted = (name: string) => values.service === undefined || values.service === name

if (values.mutants) await judgeMutants(positionals[0] ?? '6000')
else await compare(Number(positionals[0] ?? 10_000))

async function compare(wanted: number): Promise<void> {
  const counts = { requests: 0, successes: 0, frames: 0, changes: 0, hiddenWrites: 0 }
  const chosen = subjects.filter(({ name }) => isWanted(name))
  let isEnded = false
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isEnded = true))
  for (let seed = Number(values.seed); counts.requests < wanted && !isEnded; seed++) {
    const { name, definition } = chosen[seed % chosen.length]!
    const requests = Math.min(requestsPerPair, wanted - counts.requests)
    const result = await comparePair({ definition: definition(seed), engine, seed, requests, count: 12 })
    for (const count of Object.keys(counts) as (keyof typeof counts)[]) counts[count] += result[count]
    if (result.difference === null) continue
    console.error(
      `${name} after ${counts.requests} requests:`,
      JSON.stringify(result.difference, null, 2).replaceAll('\\n', '\n'),
    )
    process.exit(1)
  }
  console.log(
    `${counts.requests} requests (${counts.successes} answered with success) and ${counts.frames} messages of subscriptions show ` +
      `no difference between databases that differed in ${counts.changes} places at first, and by ${counts.hiddenWrites} writes since.`,
  )
}

async function judgeMutants(requests: string): Promise<void> {
  const verdicts: Record<Verdict['is'], number> = { caught: 0, survived: 0, broken: 0 }
  const service = values.service === undefined ? [] : ['--service', values.service]
  for (const mutant of mutants.filter(({ file, find }) => `${file} ${find}`.includes(values.only))) {
    const verdict = await judgeMutant(mutant, [requests, '--engine', engine, '--seed', values.seed, ...service])
    verdicts[verdict.is] += 1
    const line = verdict.is === 'caught' ? `caught after ${verdict.requests} requests` : verdict.is
    console.log(`${line}: ${mutant.file}: ${mutant.find} → ${mutant.replace}`)
  }
  console.log(verdicts)
  process.exitCode = verdicts.survived + verdicts.broken === 0 ? 0 : 1
}
