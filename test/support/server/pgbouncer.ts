// A PgBouncer before a database, where it is installed.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { defaultLimits } from '../../../src/limits.ts'
import { sessionSettings } from '../../../src/store/postgres/connection.ts'
import { freePort } from './free-port.ts'

const [, minor] =
  /PgBouncer 1\.(\d+)/.exec(spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? []

/** For `{ skip }`. In CI a missing program is an error. */
export function withoutPgbouncer(): false | string {
  if (minor !== undefined) return false
  if (process.env['CI'] === 'true') throw new Error('Install PgBouncer.')
  return 'Install PgBouncer.'
}

export interface Pgbouncer {
  /** That of the database, through it. */
  readonly url: string
  stop(): Promise<void>
}

/** Its server connections are as many as a small database has. */
export async function startPgbouncer(databaseUrl: string, mode: 'session' | 'transaction'): Promise<Pgbouncer> {
  const server = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'duet-pgbouncer-'))
  const port = await freePort()
  const password = server.password === '' ? '' : ` password=${server.password}`
  const to = `host=${server.hostname} port=${server.port || 5432} user=${server.username}${password}`
  writeFileSync(
    join(folder, 'ini'),
    `[databases]\n* = ${to}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\n` +
      `pool_mode = ${mode}\nunix_socket_dir =\n${Number(minor) < 21 ? '' : 'max_prepared_statements = 0\n'}` +
      `max_client_conn = 500\ndefault_pool_size = ${mode === 'session' ? 100 : 20}\n` +
      'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout,extra_float_digits\n',
  )
  chmodSync(folder, 0o755)
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer: ChildProcess = spawn('pgbouncer', [...user, join(folder, 'ini')], { stdio: 'ignore' })
  const ended = new Promise((resolve) => bouncer.once('exit', resolve))
  while (!(await listens(port))) await wait(20)
  return {
    url: Object.assign(server, { host: `127.0.0.1:${port}` }).href,
    async stop() {
      bouncer.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/** What a pooler does not pass on. */
export async function setForRole(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const settings = { ...sessionSettings, statement_timeout: `${defaultLimits.statementTimeoutMs}` }
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter role current_user set ${name} = '${value}'`)
  await client.end()
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
