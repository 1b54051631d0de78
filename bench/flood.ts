// `node --conditions=duet-source bench/flood.ts`: what a service still writes while 2,000 clients write and, when they are
// refused, come back at once. `-- 6000` lets so many come; `BENCH_DATABASE_URL` names another database than a file.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { asShipped, megabytes } from './child.ts'
import { inChunks } from './chunks.ts'
import { secondsOf, sized } from './scale.ts'

const crowd = Number(process.argv[2] ?? sized(2_000, 50))
const few = sized(64, 8)
const readers = 4
const seconds = secondsOf(8)
/** Those who came first are not yet as late as they will be. */
const warmUpMs = secondsOf(8) * 250
/** Before and after the flood. */
const calmMs = secondsOf(1) * 1_000
const readEveryMs = 50

interface Answer {
  readonly status: number
  readonly at: number
  readonly tookMs: number
}

const child = fork(inChunks(new URL('soak/service.ts', import.meta.url)), {
  execArgv: [...asShipped(process.env['BENCH_DATABASE_URL'])],
})
const [{ url }] = (await once(child, 'message')) as [{ url: string }]
const { hostname, port } = new URL(url)
const body = JSON.stringify({ title: 'Flood', content: 'x'.repeat(200) })
const headers = `Host: ${hostname}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${await signIn()}\r\n`
const write = `POST /api/v2/posts HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
const read = `GET /api/v2/posts?limit=20 HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`

await measure(few)
const usual = await measure(few)
for (const [who, { perSecond, p99, readP99, readsFailed, resident }] of [
  [`${few} clients`, usual],
  [`${crowd} that come back at once`, await measure(crowd)],
  [`${few} clients again`, await measure(few)],
] as const) {
  process.stdout.write(
    `${who}: ${Math.round(perSecond)} writes/s (${(perSecond / usual.perSecond).toFixed(2)}), p99 ${Math.round(p99)} ms; ` +
      `reads p99 ${Math.round(readP99)} ms, ${readsFailed} failed; ${resident} MB\n`,
  )
}
child.kill()
await once(child, 'exit')

async function signIn(): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'user95@example.com', password: 'soak-password' }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

async function measure(writers: number) {
  const [written, wasRead]: [Answer[], Answer[]] = [[], []]
  const stopping = new AbortController()
  const clients = [
    ...Array.from({ length: writers }, () => open(write, 0, written, stopping.signal)),
    ...Array.from({ length: readers }, () => open(read, readEveryMs, wasRead, stopping.signal)),
  ]
  // Node lets in one connection with each turn of its loop: during the flood, no other client would connect soon.
  for (const { connected } of clients) await connected
  await pause(calmMs)
  for (const { ask } of clients) ask()
  const begunAt = performance.now()
  await pause(seconds * 1_000)
  while (written.length === 0 || wasRead.length === 0) await pause(1)
  const resident = megabytes(child)
  stopping.abort()
  const wrong = [...written, ...wasRead].find(({ status }) => ![200, 201, 503].includes(status))
  if (wrong !== undefined) throw new Error(`An answer is ${wrong.status}.`)
  const good = written.filter(({ status, at }) => status === 201 && at - begunAt > warmUpMs)
  await pause(calmMs)
  return {
    perSecond: good.length / (seconds - warmUpMs / 1_000),
    p99: percentile99(good),
    readP99: percentile99(wasRead),
    resident,
    readsFailed: wasRead.filter(({ status }) => status !== 200).length,
  }
}

/** One client, which asks again as soon as it is answered, or so much later. */
function open(request: string, pauseMs: number, answers: Answer[], signal: AbortSignal) {
  const socket = connect(Number(port), hostname).setEncoding('latin1').setNoDelay(true)
  let askedAt = 0
  let text = ''
  const ask = () => {
    askedAt = performance.now()
    socket.write(request)
  }
  socket.on('data', (part: string) => {
    text += part
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/\r\nContent-Length: (\d+)/.exec(text)?.[1])
    if (end === -1 || text.length < end + 4 + length) return
    const at = performance.now()
    answers.push({ status: Number(text.slice(9, 12)), at, tookMs: at - askedAt })
    text = ''
    if (pauseMs === 0) ask()
    else setTimeout(() => signal.aborted || ask(), pauseMs)
  })
  socket.on('error', () => {})
  signal.addEventListener('abort', () => socket.destroy())
  return { ask, connected: once(socket, 'connect') }
}

function percentile99(answers: readonly Answer[]): number {
  const times = answers.map(({ tookMs }) => tookMs).sort((left, right) => left - right)
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN
}
