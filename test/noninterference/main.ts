// `npm run noninterference -- 100000`: that many requests to pairs of services that one person must not be able to tell
// apart, until an answer differs. `--engine postgres`, `--seed 7`. (contract 10.4)

import { parseArgs } from 'node:util'
import { api } from '../../reference/service.ts'
import { comparePair } from '../support/noninterference/pair.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'sqlite' }, seed: { type: 'string', default: '1' } },
})
const wanted = Number(positionals[0] ?? 10_000)
const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
const requestsPerPair = 500

let [requests, successes, changes, hiddenWrites, frames] = [0, 0, 0, 0, 0]
for (let seed = Number(values.seed); requests < wanted; seed++) {
  const size = Math.min(requestsPerPair, wanted - requests)
  const result = await comparePair({ definition: api, engine, seed, requests: size, count: 20 })
  requests += result.requests
  successes += result.successes
  changes += result.changes
  hiddenWrites += result.hiddenWrites
  frames += result.frames
  if (result.difference !== null) {
    console.error(JSON.stringify(result.difference, null, 2).replaceAll('\\n', '\n'))
    process.exit(1)
  }
}
console.log(
  `${requests} requests (${successes} answered with success) and ${frames} messages of subscriptions show no difference between ` +
    `databases that differed in ${changes} places at first, and by ${hiddenWrites} writes since.`,
)
