// `npm run soak`: ten minutes of good and hostile traffic at once, on the loopback. It fails where anything but 503 with
// `Retry-After` is answered that begins with 5, where a client is left without an answer, or where memory grows.
// `npm run soak -- 2` takes two minutes.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { inChunks } from './chunks.ts'
import { secondsOf } from './scale.ts'
import { good } from './soak/good.ts'
import { hostile } from './soak/hostile.ts'
import { openSite, type Site, Tally, type Visit } from './soak/traffic.ts'

const minutes = Number(process.argv[2] ?? secondsOf(600) / 60)
const sampleMs = secondsOf(15) * 1_000
/** What the heap may grow by in a minute once every cache had its time to fill. */
const growthMax = 1_048_576
const pauseMs = 20
const patienceMs = 45_000
/** What 99 of 100 answers to the others take at most. (contract 8.5.6) */
const waitMaxMs = 500
const visitsMax = 1_000_000

interface Sample {
  readonly heapBytes: number
  readonly residentBytes: number
}

const child = fork(inChunks(new URL('soak/service.ts', import.meta.url)), {
  // A heap that answers without a limit on their size would fill at once.
  execArgv: ['--expose-gc', '--max-old-space-size=512'],
})
const ended = once(child, 'exit')
const [{ url }] = (await once(child, 'message')) as [{ url: string }]
const tally = new Tally()
/** Well-behaved clients, whose answers must not wait for hostile ones. */
const site = openSite(url, tally, true)
const hostileSite = openSite(url, tally, false)
await signIn(site)
hostileSite.token = site.token
const { body } = await site.send('GET /api/v2/posts?limit=100')
for (const { posts } of [site, hostileSite]) posts.push(...body.data.map(({ id }: { id: string }) => id))

const endsAt = performance.now() + minutes * 60_000
const visits: Record<string, number> = {}
const clients = [
  ...Object.entries(good).map(([name, visit]) => again(name, visit, site)),
  ...Object.entries(hostile).map(([name, visit]) => again(name, visit, hostileSite)),
]
const samples: Sample[] = []
while (performance.now() < endsAt) {
  await pause(Math.min(sampleMs, Math.max(0, endsAt - performance.now())))
  if (child.exitCode !== null || child.signalCode !== null) tally.complain('the process ended')
  samples.push(await sample())
  // A token lasts for 15 minutes.
  await signIn(site)
  process.stdout.write(`${line(samples.at(-1)!)}\n`)
}
await Promise.all(clients)
const stopping = performance.now()
child.kill('SIGTERM')
const [code] = await ended
if (code !== 0) tally.complain(`it ended with ${code}`)
report()

/** One client after the other of this kind until the time is up, and at least one. */
async function again(name: string, visit: Visit, from: Site): Promise<void> {
  visits[name] = 0
  do {
    try {
      await Promise.race([visit(from, visits[name]++), patience()])
    } catch (error) {
      tally.complain(`${name}: ${(error as Error).message}`)
    }
    await pause(pauseMs)
  } while (performance.now() < endsAt && visits[name] < visitsMax)
}

/** No client waits longer: what runs, a request that waits for its place, and a connection that ends have their limits. */
async function patience(): Promise<never> {
  await pause(patienceMs, null, { ref: false })
  throw new Error(`no answer within ${patienceMs} ms`)
}

async function sample(): Promise<Sample> {
  child.send('')
  return ((await once(child, 'message')) as [Sample])[0]
}

async function signIn(to: Site): Promise<void> {
  const { status, body } = await to.send('POST /auth/login', {
    body: { email: 'user95@example.com', password: 'soak-password' },
  })
  if (status === 200) to.token = body.access_token
}

function report(): void {
  // The first third is for caches to fill.
  const later = samples.slice(Math.floor(samples.length / 3))
  const heap = growth(later.map(({ heapBytes }) => heapBytes))
  const resident = growth(later.map(({ residentBytes }) => residentBytes))
  if (heap > growthMax) tally.complain(`the heap grows by ${mebibytes(heap)} a minute`)
  const waits = tally.waits.toSorted((left, right) => left - right)
  const [half, most] = [0.5, 0.99].map((part) => waits[Math.floor(part * waits.length)] ?? 0) as [number, number]
  // Of fewer, the slowest hundredth is what the start took.
  if (waits.length >= 1_000 && most > waitMaxMs)
    tally.complain(`of 100 answers to others one takes more than ${most.toFixed()} ms`)
  const statuses = [...tally.byStatus]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${count} × ${status}`)
  process.stdout.write(
    `${minutes} minutes, stopped in ${((performance.now() - stopping) / 1000).toFixed(1)} s.\n` +
      `Visits: ${Object.entries(visits)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}.\n` +
      `Answers: ${statuses.join(', ')}.\n` +
      `Others wait for ${half.toFixed()} ms (p50), ${most.toFixed()} ms (p99).\n` +
      `Growth a minute over the last two thirds: heap ${mebibytes(heap)}, resident ${mebibytes(resident)}.\n` +
      tally.wrong.map((sentence) => `WRONG: ${sentence}\n`).join(''),
  )
  process.exitCode = tally.wrong.length === 0 ? 0 : 1
}

/** The slope of the line that fits best, in bytes a minute. */
function growth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  const below = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
  return below === 0 ? 0 : (above / below) * (60_000 / sampleMs)
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(2)} MiB`
}

function line({ heapBytes, residentBytes }: Sample): string {
  return `heap ${mebibytes(heapBytes)}, resident ${mebibytes(residentBytes)}`
}
