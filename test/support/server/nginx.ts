// The load balancer of the distribution, in front of instances that a test started.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface Nginx {
  readonly url: string
  stop(): Promise<void>
}

/** For `{ skip }`: false where nginx can be started. In CI a missing program is an error. */
export function withoutNginx(): false | string {
  if (spawnSync('nginx', ['-v']).status === 0) return false
  const sentence = 'Install nginx so that the test can put one before the instances.'
  if (process.env['CI'] === 'true') throw new Error(sentence)
  return sentence
}

/** On this port it takes the instances in turn. Which one answered stands in the header `X-Instance`. */
export async function startNginx(port: number, instances: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'duet-nginx-'))
  const path = join(folder, 'nginx.conf')
  writeFileSync(path, configuration(port, instances, folder))
  const program = spawn('nginx', ['-p', folder, '-c', path, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errorText = ''
  program.stderr.on('data', (text) => {
    errorText = `${errorText}${text}`.slice(-2_000)
  })
  while (!(await isListening(port))) {
    if (program.exitCode !== null) throw new Error(`nginx does not start:\n${errorText}`)
    await wait(20)
  }
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(program, folder) }
}

/** A port for it: instances are told where they are reached before it starts. */
export const nginxPort = freePort

async function stop(program: ChildProcess, folder: string): Promise<void> {
  const ended = once(program, 'exit')
  program.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true })
}

const deployed = new URL('../../../deploy/nginx.conf', import.meta.url)

/** What is deployed, but for its addresses, its files, and the header that tells which instance it was. */
function configuration(port: number, instances: readonly string[], folder: string): string {
  const servers = instances.map((url) => `server ${new URL(url).host} max_fails=3 fail_timeout=1s;`)
  const text = readFileSync(deployed, 'utf8')
    .replaceAll(/^ *server \d.*\n/gm, '')
    .replace(/upstream duet \{/, ['$&', ...servers].join('\n'))
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('proxy_pass http://duet;', '$& add_header X-Instance $upstream_addr always;')
    .replace('worker_connections 8192;', 'worker_connections 1024;')
    .replaceAll('/tmp/', `${folder}/`)
  return `daemon off; master_process off;\n${text}`
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}
