// `npm run bench`: the workloads on Duet, on bare node:http with an answer of the same size, and on what is written by hand
// where `npm ci --prefix bench/contenders` has installed it; in turn, several times. `npm run bench -- W1 W4` runs only
// these, `--quick` runs each once and briefly.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fill, messageOf, startAgain, startDuet, stop } from './child.ts'
import { ask, type Contender, isChosen, print, takeTurns } from './turns.ts'
import { isCreate, type Workload, workloads } from './workloads.ts'

const installed = existsSync(new URL('contenders/node_modules', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
const seeded = join(folder, 'duet.db')
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const ids = await fill(`sqlite:${seeded}`)

const { child, said } = await startAgain<{ port: number }>('contenders/bare.ts')
const bare: Contender = { name: 'bare node:http', process: child, url: `http://127.0.0.1:${said.port}`, token: '' }
const byHand = installed
  ? {
      fastify: await startByHand('fastify', 'full', 'HS256'),
      fastifyEs256: await startByHand('fastify', 'full', 'ES256'),
      fastifyNormal: await startByHand('fastify', 'normal', 'HS256'),
      mercurius: await startByHand('mercurius', 'full', 'HS256'),
      mercuriusNormal: await startByHand('mercurius', 'normal', 'HS256'),
    }
  : null
if (byHand === null) {
  process.stdout.write('Fastify and Mercurius are left out: `npm ci --prefix bench/contenders` installs them.\n')
}
const duetProcess = startDuet(`sqlite:${seeded}`)
const served = await messageOf<{ url: string; token: string }>(duetProcess)
const duet: Contender = { name: 'Duet', process: duetProcess, ...served }

const results: string[][] = []
for (const workload of workloads(ids).filter(isChosen)) {
  const answer = await ask({ contender: duet, workload })
  bare.process.send({ key: `${workload.method} ${workload.path}`, ...answer })
  await messageOf(bare.process)
  const others = rivals(workload)
  for (const contender of others) {
    const { body } = await ask({ contender, workload })
    if (!isDeepStrictEqual(content(body, workload), content(answer.body, workload))) {
      throw new Error(`${workload.name}: ${contender.name} does not answer what Duet answers.`)
    }
  }
  const entrants = [
    ...[duet, ...others].map((contender) => ({ contender, workload })),
    { contender: bare, workload: { ...workload, ids: [] } },
  ]
  results.push(...(await takeTurns(entrants, `${workload.about}, ${answer.body.length} bytes`)))
}
const all = [duet, bare, ...(byHand === null ? [] : Object.values(byHand))]
await Promise.all(all.map((contender) => stop(contender.process)))
print(results)

/** Who is asked the same, beside bare node:http. */
function rivals({ name, method }: Workload): readonly Contender[] {
  if (byHand === null) return []
  if (['W3', 'W4', 'W5'].includes(name)) return [byHand.mercurius]
  if (name === 'W7') return [byHand.mercurius, byHand.mercuriusNormal]
  if (name === 'W1J') return [byHand.fastify, byHand.fastifyEs256]
  return method === 'POST' ? [byHand.fastify, byHand.fastifyNormal] : [byHand.fastify]
}

/** What must be equal in the answers: all but cursors, how a page is described, and the ids and times of new records. */
function content(body: string, workload: Workload): unknown {
  const opaque = new Set(['cursor', 'endCursor', ...(isCreate(workload) ? ['id', 'created_at', 'updated_at'] : [])])
  return JSON.parse(body, (key, value: unknown) => {
    if (key === 'pagination' || key === 'meta') return (value as { total?: number }).total
    return opaque.has(key) ? undefined : value
  })
}

/** A contender on a copy of the database file that Duet filled. */
async function startByHand(program: string, synchronous: string, algorithm: string): Promise<Contender> {
  const path = join(folder, `${program}-${synchronous}-${algorithm}.db`)
  copyFileSync(seeded, path)
  const parameters = [path, synchronous, algorithm, ids.authorIds[0]!]
  const { child, said } = await startAgain<{ url: string; token: string }>(`contenders/${program}.ts`, parameters)
  const name = `${program === 'fastify' ? 'Fastify' : 'Mercurius'}, ${synchronous.toUpperCase()}, ${algorithm}`
  return { name, process: child, ...said }
}
