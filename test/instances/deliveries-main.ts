// `npm run deliveries -- 100000`: that many events to two webhooks, through 200 kills of three instances.

import { join } from 'node:path'
import { repository } from '../support/process/command.ts'
import { deliverThroughKills } from './deliveries.ts'

// Instances that are started again load what is compiled, as in the suite.
process.env['NODE_COMPILE_CACHE'] ??= join(repository, 'node_modules/.cache/compiled')
const events = Number(process.argv[2] ?? 10_000)
process.stdout.write(`${JSON.stringify(await deliverThroughKills(events, Math.min(200, Math.ceil(events / 100))))}\n`)
