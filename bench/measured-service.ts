// A service of a test's definition in a process of its own, whose processor time is told beside the time that requests to it take.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { silentLog } from '../src/observation/log.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { startService } from '../src/service/service.ts'
import type { Engine } from '../src/store/store.ts'
import { agency } from '../test/support/domain/agency.ts'
import { billing } from '../test/support/domain/billing.ts'
import { ledger } from '../test/support/domain/ledger.ts'
import { createDatabase } from '../test/support/server/databases.ts'

const definitions = { ledger, billing, agency }
export const account = { email: 'import@example.com', password: 'a long password', name: 'Import' }

/** So many times something is done, so many at once. */
export interface Work {
  readonly name: string
  readonly count: number
  readonly atOnce: number
  readonly run: (index: number) => Promise<unknown>
}
export type Measure = (work: Work) => Promise<void>

/** The databases that the command line names; both where it names none. */
export const enginesOf = (name: string | undefined): readonly Engine[] =>
  name === 'sqlite' || name === 'postgres' ? [name] : ['sqlite', 'postgres']

/** Starts a service on a database of its own, and ends both when `work` has. */
export async function withMeasuredService(
  definition: keyof typeof definitions,
  engine: Engine,
  work: (url: string, measure: Measure) => Promise<void>,
): Promise<void> {
  const database = await createDatabase(engine)
  const child = fork(import.meta.filename, [definition], {
    env: { ...process.env, DATABASE_URL: database.url },
    execArgv: [...process.execArgv, '--max-semi-space-size=16'],
  })
  const cpuMs = async () => {
    child.send('cpu')
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
    return (user + system) / 1_000
  }
  const measure: Measure = async ({ name, count, atOnce, run }) => {
    const [start, cpu] = [performance.now(), await cpuMs()]
    let next = 0
    const worker = async () => {
      for (let index = next++; index < count; index = next++) await run(index)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    const [ms, spentMs] = [performance.now() - start, (await cpuMs()) - cpu]
    console.log(
      `${engine}: ${name}: ${(ms / 1_000).toFixed(2)} s, ${(spentMs / 1_000).toFixed(2)} s of the service's processor`,
    )
  }
  try {
    const [url] = (await once(child, 'message')) as [string]
    await work(url, measure)
  } finally {
    child.disconnect()
    await once(child, 'exit')
    await database.drop()
  }
}

if (process.send !== undefined && import.meta.main) await serve(process.argv[2] as keyof typeof definitions)

async function serve(name: keyof typeof definitions): Promise<void> {
  const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const configuration = readConfiguration({ ...process.env, ...unlimited, PORT: '0' })
  const service = await startService(definitions[name], { configuration, log: silentLog, clock: () => new Date() })
  process.once('disconnect', () => process.exit(0))
  process.on('message', () => process.send!(process.cpuUsage()))
  process.send!(service.url)
}
