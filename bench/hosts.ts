// `node --conditions=duet-source bench/hosts.ts`: a record by id through both faces, by our own server and through hosts, in turn.
// The figures of docs/embedding.md come from here. Bun,
// Deno and Next are among them where they have been fetched (CONTRIBUTING.md).

import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runtime as bun } from '../test/support/host/bun.ts'
import { runtime as deno } from '../test/support/host/deno.ts'
import { programOf, type Runtime } from '../test/support/host/elsewhere.ts'
import { type FetchedHost, folderOf } from '../test/support/host/fetched-host.ts'
import { buildNextApp } from '../test/support/host/next-app.ts'
import { fill, messageOf, start, stop } from './child.ts'
import { password } from './contenders/configuration.ts'
import { onCore } from './load.ts'
import { sized } from './scale.ts'
import { type Contender, print, takeTurns } from './turns.ts'
import { workloads } from './workloads.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const seeded = join(folder, 'own.db')
const ids = await fill(`sqlite:${seeded}`)

function databaseOf(host: string): string {
  const path = join(folder, `${host}.db`)
  if (path !== seeded) copyFileSync(seeded, path)
  return `sqlite:${path}`
}

async function startBehind(host: string): Promise<Contender> {
  const child = start('contenders/duet.ts', [], { BENCH_DATABASE_URL: databaseOf(host), BENCH_HOST: host })
  return { name: host, process: child, ...(await messageOf<{ url: string; token: string }>(child)) }
}

const others: ChildProcess[] = []
process.once('exit', () => {
  for (const each of others) each.kill('SIGKILL')
})
/** Behind a runtime that is not Node, and cannot be forked as Node is. */
async function startOn(runtime: Runtime): Promise<Contender> {
  const { host, args } = runtime
  const program = join(import.meta.dirname, 'contenders/elsewhere.ts')
  const [command, ...rest] = onCore(0, [programOf(runtime), ...args, program, host])
  const child = spawn(command!, rest, {
    env: { ...process.env, BENCH_DATABASE_URL: databaseOf(host) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  others.push(child)
  const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  const url = /http:\S+/.exec(line)![0]
  const body = JSON.stringify({ email: 'user0@example.com', password })
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  return { name: host, process: child, url, token }
}

const hosts = ['own', 'express', 'fastify', 'hono']
/** A brief run leaves out those that have been fetched: another process may be fetching them. */
const isFetched = (host: FetchedHost): boolean => sized(existsSync(folderOf(host)), false)
if (isFetched('next')) {
  await buildNextApp()
  hosts.push('next')
}
const contenders: Contender[] = []
for (const host of hosts) contenders.push(await startBehind(host))
for (const runtime of [bun, deno]) if (isFetched(runtime.host)) contenders.push(await startOn(runtime))
const results: string[][] = []
for (const workload of workloads(ids).filter(({ name }) => name === 'W1' || name === 'W3'))
  results.push(
    ...(await takeTurns(
      contenders.map((contender) => ({ contender, workload })),
      workload.about,
    )),
  )
await Promise.all(contenders.map((contender) => stop(contender.process)))
print(results)
