// Started by a test that kills it: an instance of the noticeboard on the database named by its first argument, with the key of its
// second, which sends webhooks and takes over after a short time from instances that are gone.

import { noticeboard } from '../domain/noticeboard.ts'
import { startInstance } from '../server/instance.ts'

const [, , databaseUrl, dataKey] = process.argv as [string, string, string, string]
const limits = { webhookTimeoutMs: 500, webhookLeaseMarginMs: 500, eventPollMs: 100 }
const environment = { DATA_KEY: dataKey, METRICS_PORT: '' }
const options = { definition: noticeboard, limits, environment }
const instance = await startInstance({ databaseUrl, now: () => new Date() }, options)
process.stdout.write('ready\n')
// It goes when its input has ended.
process.stdin.resume().once('end', () => void instance.stop().then(() => process.exit()))
