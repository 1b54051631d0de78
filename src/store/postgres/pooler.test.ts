// What a start says of a pooler that mixes up prepared statements: asked of a real PgBouncer, where it is installed.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { freePort } from '../../../test/support/server/free-port.ts'
import { defaultLimits } from '../../limits.ts'
import { openStore } from '../../service/open/open-store.ts'

const [, minor] =
  /PgBouncer 1\.(\d+)/.exec(spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? []
const skip = postgresMissing || (minor === undefined && 'Install PgBouncer.')

for (const mode of ['session', 'transaction'] as const) {
  // From 1.21 on it can keep them apart, and does so where it is told to.
  const isRefused = mode === 'transaction'
  test(`a pooler of ${mode}s is ${isRefused ? 'refused' : 'used'}`, { skip }, async (t) => {
    const url = await startBouncer(t, mode)
    const opening = openStore(url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
    if (isRefused) {
      await assert.rejects(opening, /^Error: DATABASE_URL names .*, which cannot be used: it is a pooler that lends/)
    } else await (await opening).close()
  })
}

/** Answers the DATABASE_URL of a new database behind it. */
async function startBouncer(t: TestContext, mode: string): Promise<string> {
  const database = await createDatabase('postgres')
  const server = new URL(database.url)
  const folder = mkdtempSync(join(tmpdir(), 'duet-pooler-'))
  const port = await freePort()
  const to = `host=${server.hostname} port=${server.port || 5432} user=${server.username}${server.password === '' ? '' : ` password=${server.password}`}`
  writeFileSync(
    join(folder, 'ini'),
    `[databases]\n* = ${to}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\n` +
      `pool_mode = ${mode}\nunix_socket_dir =\n${Number(minor) < 21 ? '' : 'max_prepared_statements = 0\n'}` +
      'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout,extra_float_digits\n',
  )
  chmodSync(folder, 0o755)
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer: ChildProcess = spawn('pgbouncer', [...user, join(folder, 'ini')], { stdio: 'ignore' })
  const ended = new Promise((resolve) => bouncer.once('exit', resolve))
  t.after(async () => {
    bouncer.kill('SIGKILL')
    await ended
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  while (!(await listens(port))) await sleep(20)
  return Object.assign(server, { host: `127.0.0.1:${port}` }).href
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
