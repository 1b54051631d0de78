// Rate limits, which the last tests of a run exceed. (8.3, 4.1.1, 4.12.11, 4.13.5, 5.3.10)

import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import type { Kit } from '../../kit/kit.ts'

/** More requests than this are not sent to reach a limit. */
const mostRequests = 2_000

const limitOf = ({ headers }: Answer): number => Number(headers['x-ratelimit-limit'])
const read = (kit: Kit, path: string, sending = {}) => kit.sendOnce(`GET ${path}?limit=1`, sending)

/** Waits until the bucket of this answer is new. */
async function renewed({ headers }: Answer): Promise<void> {
  await pause(Math.max(0, 1_000 * Number(headers['x-ratelimit-reset']) - Date.now()) + 1_100)
}

/** The limit of the address, at the beginning of a window. */
async function addressLimit(kit: Kit, path: string): Promise<number> {
  const answer = await read(kit, path)
  if (answer.headers['x-ratelimit-limit'] === undefined) throw new Untestable('the service has no rate limits')
  if (limitOf(answer) > mostRequests) throw new Untestable(`the limit of the address is above ${mostRequests}`)
  await renewed(answer)
  return limitOf(answer)
}

export function defineRateLimits(define: Define): void {
  define('8.3.5', ['resource'], async ({ kit, subject }) => {
    const limit = await addressLimit(kit, subject.path)
    const answers = await Promise.all(Array.from({ length: limit + 1 }, () => read(kit, subject.path)))
    answers[0]!.has('refusals', answers.filter(({ status }) => status === 429).length, 1)
    await renewed(answers[0]!)
  })

  define('8.3.1', ['resource'], async ({ kit, subject }) => {
    const limit = await addressLimit(kit, subject.path)
    const first = (await read(kit, subject.path)).is(200)
    first.has('X-RateLimit-Remaining', first.headers['x-ratelimit-remaining'], String(limit - 1))
    for (let at = 1; at < limit; at++) (await read(kit, subject.path)).is(200)
    const refused = (await read(kit, subject.path)).fails(429, 'RATE_LIMIT_EXCEEDED')
    refused.has('X-RateLimit-Limit', limitOf(refused), limit)
    refused.has('X-RateLimit-Remaining', refused.headers['x-ratelimit-remaining'], '0')
    const seconds = Number(refused.headers['x-ratelimit-reset']) - Date.now() / 1_000
    refused.require(
      Math.abs(seconds - Number(refused.headers['retry-after'])) <= 2,
      'Retry-After until the reset',
      `${seconds} s`,
    )
    // A refused credential is not looked at, and health has a bucket of its own.
    const token = await read(kit, subject.path, { headers: { Authorization: 'Bearer not-a-token' } })
    token.is(429)
    ;(await kit.sendOnce('GET /health')).is(200)
    await renewed(refused)
  })

  define('4.1.1', ['resource'], async ({ kit, subject }) => {
    const limit = await addressLimit(kit, subject.path)
    const headers = { Authorization: 'Bearer not-a-token' }
    const answers: Answer[] = []
    for (let at = 0; at <= limit; at++) answers.push(await read(kit, subject.path, { headers }))
    answers[0]!.fails(401, 'INVALID_TOKEN')
    answers.at(-1)!.fails(429)
    await renewed(answers.at(-1)!)
  })

  define('8.3.2', ['resource'], async ({ kit, subject }) => {
    await addressLimit(kit, subject.path)
    const first = (await read(kit, subject.path)).is(200)
    await pause(1_500)
    const second = (await read(kit, subject.path)).is(200)
    second.has('X-RateLimit-Reset', second.headers['x-ratelimit-reset'], first.headers['x-ratelimit-reset'])
  })

  define('8.3.4', ['resource'], async ({ kit, subject }) => {
    const limit = await addressLimit(kit, subject.path)
    for (let at = 0; at < 5; at++) (await kit.sendOnce('GET /health')).is(200)
    const answer = (await read(kit, subject.path)).is(200)
    answer.has('X-RateLimit-Remaining', answer.headers['x-ratelimit-remaining'], String(limit - 1))
    const health = (await kit.sendOnce('GET /health')).is(200)
    health.has('X-RateLimit-Limit of health', limitOf(health), limit)
  })

  define('5.3.10', ['apiKeys'], async ({ kit, subject }) => {
    const { path, as } = kit.profile.apiKeys!
    const target = `/api/${kit.version}/${path}`
    const key = (await kit.send(`POST ${target}`, { as, body: { name: kit.run, scopes: ['*'] } })).is(201)
    kit.journal.add({ target: `${target}/${key.data.id}`, as })
    const anonymous = await read(kit, subject.path)
    const byToken = (await read(kit, subject.path, { as })).is(200)
    if (limitOf(byToken) === limitOf(anonymous))
      throw new Untestable("the user's bucket has more left than the address")
    const byKey = (await read(kit, subject.path, { headers: { 'X-API-Key': key.data.key } })).is(200)
    const [before, after] = [byToken, byKey].map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    byKey.has('X-RateLimit-Remaining', after, before! - 1)
  })

  define('4.12.11', ['signIn', 'resource'], async ({ kit }) => {
    const body = { email: `${kit.unique()}@${kit.run}.example`, password: 'not the password' }
    const answers: Answer[] = []
    for (let at = 0; at < 6; at++) answers.push(await kit.sendOnce(`POST ${at % 2 ? '/api' : ''}/auth/login`, { body }))
    const refused = answers.find(({ status }) => status === 429) ?? answers.at(-1)!
    refused.fails(429, 'RATE_LIMIT_EXCEEDED').has('X-RateLimit-Limit', limitOf(refused), 5)
  })

  define('4.13.5', ['signIn', 'resource'], async ({ kit }) => {
    const body = { email: `${kit.unique()}@${kit.run}.example` }
    for (let at = 0; at < 3; at++) (await kit.sendOnce('POST /auth/forgot-password', { body })).is(202)
    const refused = (await kit.sendOnce('POST /auth/forgot-password', { body })).fails(429)
    refused.has('X-RateLimit-Limit', limitOf(refused), 3)
  })
}
