// How long an import takes that can be run again: 10,000 records put through the client by their keys, half of them of records that
// are there, and as many created by batches of a hundred. The service is a process of its own.
// `node --conditions=duet-source bench/import.ts [sqlite|postgres]`

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createClient, DuetError } from 'duet-api/client'
import { silentLog } from '../src/observation/log.ts'
import { readConfiguration } from '../src/service/configuration.ts'
import { startService } from '../src/service/service.ts'
import type { Engine } from '../src/store/store.ts'
import { ledger } from '../test/support/domain/ledger.ts'
import { createDatabase } from '../test/support/server/databases.ts'

const records = 10_000
/** Requests at once. */
const concurrency = 64
const account = { email: 'import@example.com', password: 'a long password', name: 'Import' }

if (process.send !== undefined) await serve()
else for (const engine of enginesOf(process.argv[2])) await measure(engine)

function enginesOf(name: string | undefined): readonly Engine[] {
  return name === 'sqlite' || name === 'postgres' ? [name] : ['sqlite', 'postgres']
}

/** In the process of the service. */
async function serve(): Promise<void> {
  const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const configuration = readConfiguration({ ...process.env, ...unlimited, PORT: '0' })
  const service = await startService(ledger, { configuration, log: silentLog, clock: () => new Date() })
  process.once('disconnect', () => process.exit(0))
  process.on('message', () => process.send!(process.cpuUsage()))
  process.send!(service.url)
}

async function measure(engine: Engine): Promise<void> {
  const database = await createDatabase(engine)
  const child = fork(import.meta.filename, [], {
    env: { ...process.env, DATABASE_URL: database.url },
    execArgv: [...process.execArgv, '--max-semi-space-size=16'],
  })
  try {
    const [url] = (await once(child, 'message')) as [string]
    const client = createClient<typeof ledger>(url, { version: 'v2', json: { preferences: true } })
    await client.users.create(account)
    await client.signIn(account)
    const cpuOf = async () => {
      child.send('cpu')
      const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
      return (user + system) / 1_000
    }
    const run = async (
      name: string,
      from: number,
      to: number,
      step: number,
      write: (at: number) => Promise<unknown>,
    ) => {
      const [start, cpu] = [performance.now(), await cpuOf()]
      let next = from
      const worker = async () => {
        for (let at = next; at < to; at = next) {
          next = at + step
          await write(at)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
      const [ms, cpuMs] = [performance.now() - start, (await cpuOf()) - cpu]
      console.log(
        `${engine}: ${name}: ${(ms / 1_000).toFixed(1)} s, ${((cpuMs * 1_000) / (to - from)).toFixed(0)} µs of the service for each record`,
      )
    }
    const upsert = (at: number) =>
      client.customers.upsert({ externalId: `c-${at}` }, { code: `c-${at}`, name: `Customer ${at}` })
    const batch = (at: number) =>
      client.customers.createMany(
        Array.from({ length: 100 }, (_, index) => ({
          externalId: `b-${at + index}`,
          code: `b-${at + index}`,
          name: 'B',
        })),
      )
    await run('the first half', 0, records / 2, 1, upsert)
    await run('all of them, half of which are there', 0, records, 1, upsert)
    await run('all of them again', 0, records, 1, upsert)
    await run('by batches of 100', 0, records, 100, batch)
  } catch (error) {
    if (error instanceof DuetError) console.error(error.code, error.message, error.details)
    throw error
  } finally {
    child.disconnect()
    await once(child, 'exit')
    await database.drop()
  }
}
