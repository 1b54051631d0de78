// A service that the clock moves, in a process that is killed: `SHIFT_MS` is by how much its own clock is wrong.

import { every, integer, optional, resource, service, signedIn, state, text, timestamp } from 'duet-api'
import { silentLog } from '../../../src/observation/log.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { startService } from '../../../src/service/service.ts'
import { systemClock } from '../../../src/store/sql/text/shared-time.ts'
import { accounts, User } from '../domain/account.ts'

const shiftMs = Number(process.env['SHIFT_MS'] ?? 0)
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given: readonly [] | readonly [number]) {
    if (given.length === 0) super(RealDate.now() + shiftMs)
    else super(...given)
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
} as DateConstructor

/** Moved once by each value, which its trace counts in the same transaction. */
const Job = resource('Job', {
  prefix: 'job',
  fields: { runs: integer({ default: 0 }), status: state('waiting', 'done'), at: optional(timestamp()) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['at'] },
    run: {
      at: 'at',
      from: 'waiting',
      to: 'done',
      effect: async ({ record, records, assign }) => {
        assign({ runs: record.runs + 1 })
        await records.create(Trace, { what: record.id })
      },
    },
  },
})
const Trace = resource('Trace', {
  prefix: 'trace',
  fields: { what: text({ max: 100 }) },
  actions: { read: { allow: signedIn } },
})
/** Kills come while it runs. */
const count = every(
  { minutes: 1 / 60 },
  'count',
  async ({ tick, finish }) => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    await finish(async (records) => void (await records.create(Trace, { what: tick.toISOString() })))
  },
  { missed: { upTo: 1_000 }, timeLimitSeconds: 2, attempts: 100 },
)
const api = service({
  resources: { User, Job, Trace },
  accounts,
  roles: { ANY: {} },
  schedules: [count],
})
const configuration = readConfiguration({ ...process.env, PORT: '0' })
const running = await startService(api, {
  configuration: {
    ...configuration,
    limits: { ...configuration.limits, scheduleStepMs: 1_000, eventPollMs: 100, reactionLeaseMarginMs: 500 },
  },
  log: silentLog,
  clock: systemClock,
})
process.stdout.write('Duet is listening\n')
// Jobs that become due while instances come and go, by the clock that decides.
const { now } = configuration.databaseUrl.startsWith('sqlite:') ? Date : RealDate
for (let made = 0; process.env['MAKES'] !== undefined; made++) {
  const due = new Date(now() + 500 + (made % 20) * 100)
  // A write without an answer may be there or not: what counts is what is stored.
  await running.asService.records.create(Job, { at: due } as never).catch((error: unknown) => {
    if ((error as { readonly code?: string }).code !== 'SERVICE_UNAVAILABLE') throw error
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
}
