// A PostgreSQL of one's own, for tests that stop it: the one that tests share has to go on for the others.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresMissing } from './databases.ts'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  readonly url: string
  /** Of its first process; another one after each start. */
  readonly pid: number
  /** Starts it again on the same port, with what it holds. Resolves once it answers. */
  start(): Promise<void>
  /** `fast` ends every connection and writes a checkpoint; `immediate` is a crash, after which it has to recover. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  /** Ends it and removes what it holds. */
  remove(): Promise<void>
}

/** The folder of its programs: that of the newest version, where a distribution keeps several. */
const programs = globSync('/usr/lib/postgresql/*/bin').sort(byVersion).at(-1) ?? '/usr/local/bin'

/** For `{ skip }`: false where a PostgreSQL of one's own can be started. In CI a missing program is an error. */
export function withoutPostgresServer(): false | string {
  const missing = ['initdb', 'postgres'].find((program) => !existsSync(join(programs, program)))
  if (missing === undefined) return false
  const sentence =
    postgresMissing || 'Install PostgreSQL (initdb and postgres) so that the test can start one of its own.'
  if (process.env['CI'] === 'true') throw new Error(sentence)
  return sentence
}

/** Takes about two seconds. It commits without waiting for a disk: killing it loses nothing, a power cut would. */
export const startPostgresServer = (settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> =>
  startServer(settings, (data, owner) => {
    const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    execFileSync(join(programs, 'initdb'), ['-D', data, ...options], { ...owner, stdio: 'pipe' })
  })

/** Follows the primary, which from then on commits what both have. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await startServer({}, (data, owner) => {
    const options = ['-d', primary.url, '-R', '-X', 'stream', '--no-sync', '--checkpoint=fast']
    execFileSync(join(programs, 'pg_basebackup'), ['-D', data, ...options], { ...owner, stdio: 'pipe' })
  })
  await run(primary.url, `alter system set synchronous_standby_names = '*'`)
  await run(primary.url, 'select pg_reload_conf()')
  return standby
}

type Owner = ReturnType<typeof unprivileged>

async function startServer(
  settings: Readonly<Record<string, string>>,
  fill: (data: string, owner: Owner) => void,
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'duet-postgres-'))
  const owner = unprivileged()
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  fill(data, owner)
  const port = await freePort()
  const settingsOf = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings }
  const args = [
    '-D',
    data,
    '-p',
    `${port}`,
    ...Object.entries(settingsOf).flatMap(([name, to]) => ['-c', `${name}=${to}`]),
  ]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let running: ChildProcess | null = null

  async function stop(how: 'fast' | 'immediate'): Promise<void> {
    if (running === null || running.exitCode !== null) return
    const ended = once(running, 'exit')
    running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await ended
  }
  const server: PostgresServer = {
    url,
    get pid() {
      return running?.pid ?? 0
    },
    async start() {
      let errorText = ''
      const started = spawn(join(programs, 'postgres'), args, { ...owner, cwd: folder })
      started.stdout.resume()
      started.stderr.on('data', (text) => {
        errorText = `${errorText}${text}`.slice(-2_000)
      })
      running = started
      const giveUpAt = Date.now() + 30_000
      while (!(await answers(url))) {
        if (Date.now() > giveUpAt || started.exitCode !== null) throw new Error(`No PostgreSQL came up:\n${errorText}`)
        await wait(20)
      }
    },
    stop,
    promote: () => run(url, 'select pg_promote()'),
    async remove() {
      await stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await server.start()
    return server
  } catch (error) {
    await server.remove()
    throw error
  }
}

/** PostgreSQL refuses to run as root; its package brings a user for it. Null where this is somebody else. */
function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

const answers = (url: string): Promise<boolean> =>
  run(url, 'select 1').then(
    () => true,
    () => false,
  )

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => {})
  }
}

function byVersion(one: string, other: string): number {
  const versionOf = (path: string) => Number.parseInt(path.split('/').at(-2) ?? '', 10)
  return versionOf(one) - versionOf(other)
}
