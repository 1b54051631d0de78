// Several processes on one port. (contract 0.1.14)

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { dataKey } from '../support/server/data-key.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { freePort } from '../support/server/free-port.ts'

async function run(t: TestContext, environment: Readonly<Record<string, string>>) {
  const database = await createDatabase('postgres')
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const env = {
    ...inherited,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: 'http://service.example',
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '4',
    DATA_KEY: dataKey,
    DEMO_DATA: 'off',
    DRAIN_SECONDS: '0',
    LIMIT_IP_PER_MINUTE: '0',
    INSTANCES: '3',
    ...environment,
  }
  const primary = spawn(process.execPath, programArguments('reference/main.ts'), { cwd: repository, env })
  let text = ''
  for (const stream of [primary.stdout, primary.stderr]) stream.on('data', (part) => (text += part))
  const ended = once(primary, 'exit')
  t.after(async () => {
    primary.kill('SIGKILL')
    await ended
    await database.drop()
  })
  return { primary, ended, lines: () => text }
}

const workersOf = ({ pid }: ChildProcess): readonly number[] => {
  try {
    return execFileSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

const skip = postgresMissing
test('0.1.14 replaces a process that dies, adds up metrics, and ends with all', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const { primary, ended, lines } = await run(t, { PORT: `${port}`, METRICS_PORT: `${metricsPort}` })
  const health = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status,
      () => 0,
    )
  const listening = () => lines().split('"Listening."').length - 1
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      assert.equal(primary.exitCode, null, lines())
      await wait(20)
    }
  }
  await until(() => listening() === 3)
  const former = workersOf(primary)
  assert.equal(former.length, 3)
  assert.match(lines(), /"connections":15/)
  for (let each = 0; each < 30; each++) assert.equal(await health(), 200)
  const readMetrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const metrics = await readMetrics()
  assert.match(metrics, /^duet_database_up 1$/m)
  const counts = [...metrics.matchAll(/^duet_request_duration_seconds_count\{.*\} (\d+)$/gm)]
  assert.equal(
    counts.reduce((sum, [, count]) => sum + Number(count), 0),
    30,
    metrics,
  )

  process.kill(former[0]!, 'SIGSTOP')
  assert.match(await readMetrics(), /^duet_database_up 1$/m)
  const isReported = new RegExp(`"pid":${former[0]},"msg":"An instance does not report its metrics`)
  await until(() => isReported.test(lines()))

  process.kill(former[0]!, 'SIGKILL')
  await until(() => listening() === 4)
  const now = workersOf(primary)
  assert.equal(now.length, 3)
  assert(!now.includes(former[0]!))
  assert.equal(await health(), 200)
  primary.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.equal(await health(), 0)
  assert.equal(lines().split('"Stopped."').length - 1, 3)
})

test('0.1.14 ends with 1 after five ends in a minute', { skip, timeout: 600_000 }, async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as { readonly port: number }
  const { ended, lines } = await run(t, { PORT: `${port}` })
  assert.deepEqual(await ended, [1, null])
  assert.match(lines(), /HOST and PORT name .*, where the service cannot listen/)
})
