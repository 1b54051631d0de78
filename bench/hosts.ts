// `node --conditions=duet-source bench/hosts.ts`: a record by id through both faces, by our own server and through hosts, in turn.
// The figures of docs/embedding.md come from here.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const contenders: Contender[] = []
for (const host of ['own', 'express', 'fastify', 'hono']) contenders.push(await startBehind(host))
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
