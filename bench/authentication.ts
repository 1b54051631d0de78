// How many sign in, and what that costs other requests; what a bearer token costs, compared with the same request without one.
// Run it with `node --conditions=duet-source bench/authentication.ts`.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { inChunks } from './chunks.ts'
import { runLoad } from './load.ts'
import { secondsOf, sized } from './scale.ts'
import { type Ids, workloads } from './workloads.ts'

const seconds = secondsOf(5)
const rounds = sized(3, 1)
const json = { 'Content-Type': 'application/json' }
const credentials = JSON.stringify({ email: 'user30@example.com', password: 'bench-password' })
const wrong = JSON.stringify({ email: 'user30@example.com', password: 'another password' })

const duet = fork(inChunks(new URL('contenders/duet.ts', import.meta.url)), { execArgv: [] })
const [{ url, token, postIds, authorIds }] = (await once(duet, 'message')) as [{ url: string; token: string } & Ids]

const write = (line: string) => void process.stdout.write(`${line}\n`)
await longestStall(duet)
for (const [what, body, connections] of [
  ['logins', credentials, 16],
  ['logins, more than can wait', credentials, sized(200, 20)],
  ['refused logins', wrong, 16],
] as const) {
  const { statuses, others } = await storm(body, connections)
  const statusTexts = [...statuses].map(([status, count]) => `${Math.round(count / seconds)} × ${status}`).join(', ')
  const stall = await longestStall(duet)
  write(
    `${what}, ${connections} at once: ${statusTexts} a second; longest stall ${stall.toFixed(1)} ms; GET /health meanwhile ${others}`,
  )
}

const [byId] = workloads({ postIds, authorIds })
const results: number[][] = [[], []]
for (let round = 0; round < rounds; round++) {
  for (const signedIn of [false, true]) {
    const { requestsPerSecond, failures } = await runLoad(url, { ...byId!, signedIn }, token, seconds)
    if (failures > 0) throw new Error(`${failures} answers were not what was asked for.`)
    results[Number(signedIn)]!.push(requestsPerSecond)
  }
}
const [without, having] = results.map((each) => each.toSorted((one, other) => one - other)[rounds >> 1]!) as [
  number,
  number,
]
const costUs = 1e6 / having - 1e6 / without
write(
  `one post: ${Math.round(without)} a second without a token, ${Math.round(having)} with one: ${costUs.toFixed(1)} µs more`,
)
duet.kill()

/** Signs in over so many connections, and looks at the health of the service meanwhile. */
async function storm(body: string, connections: number) {
  const statuses = new Map<number, number>()
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  const signIn = async () => {
    do {
      const answer = await fetch(`${url}/auth/login`, { method: 'POST', headers: json, body })
      await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    } while (performance.now() < end)
  }
  const look = async () => {
    do {
      const start = performance.now()
      await (await fetch(`${url}/health`)).text()
      times.push(performance.now() - start)
    } while (performance.now() < end)
  }
  await Promise.all([look(), ...Array.from({ length: connections }, signIn)])
  times.sort((one, other) => one - other)
  const at = (share: number) => `${times[Math.floor(times.length * share)]!.toFixed(1)} ms`
  return { statuses, others: `p50 ${at(0.5)}, p99 ${at(0.99)}` }
}

async function longestStall(process: ChildProcess): Promise<number> {
  process.send({})
  const [{ stallMs }] = (await once(process, 'message')) as [{ stallMs: number }]
  return stallMs
}
