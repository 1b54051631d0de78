// `node --conditions=duet-source bench/hosts.ts`: a record by id through both faces, by our own server and through hosts, in turn.
// The figures of docs/embedding.md come from here. Next is among them where it has been fetched (CONTRIBUTING.md).

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderOf } from '../test/support/door/fetched-host.ts'
import { buildNextApp } from '../test/support/door/next-app.ts'
import { fill, messageOf, start, stop } from './child.ts'
import { type Contender, print, takeTurns } from './turns.ts'
import { workloads } from './workloads.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const seeded = join(folder, 'own.db')
const ids = await fill(`sqlite:${seeded}`)

async function startBehind(host: string): Promise<Contender> {
  const path = join(folder, `${host}.db`)
  if (path !== seeded) copyFileSync(seeded, path)
  const child = start('contenders/duet.ts', [], { BENCH_DATABASE_URL: `sqlite:${path}`, BENCH_HOST: host })
  return { name: host, process: child, ...(await messageOf<{ url: string; token: string }>(child)) }
}

const hosts = ['own', 'express', 'fastify', 'hono']
if (existsSync(folderOf('next'))) {
  await buildNextApp()
  hosts.push('next')
}
const contenders: Contender[] = []
for (const host of hosts) contenders.push(await startBehind(host))
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
