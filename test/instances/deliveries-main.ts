// `npm run deliveries -- 100000`: that many events to two webhooks, through 200 kills of three instances.

import { deliverThroughKills } from './deliveries.ts'

const events = Number(process.argv[2] ?? 10_000)
process.stdout.write(`${JSON.stringify(await deliverThroughKills(events, Math.min(200, Math.ceil(events / 100))))}\n`)
