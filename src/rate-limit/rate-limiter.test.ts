import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { defaultLimits } from '../limits.ts'
import type { PathKind, RouteLimit } from './buckets.ts'
import type { Counter } from './counter.ts'
import { createMemoryCounter } from './memory-counter.ts'
import { createRateLimiter, type RateLimiter, type RateLimiterOptions, type RateState } from './rate-limiter.ts'

const start = Date.parse('2026-11-20T09:30:00.250Z')
const now = new Date(start)
const at = (ms: number) => new Date(start + ms)
const home = '192.0.2.1'

const withLimits = (differing: Partial<RateLimiterOptions['limits']> = {}, routeLimits: readonly RouteLimit[] = []) =>
  createRateLimiter({ limits: { ...defaultLimits, ...differing }, counter: createMemoryCounter(), routeLimits })

function refusedBy(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Failure)
    assert.equal(error.code, 'RATE_LIMIT_EXCEEDED')
    assert.equal(error.status, 429)
    return error
  }
  assert.fail('nothing was refused')
}

/** The limit, what remains and what the state says after one request by address. */
function requestFrom(limiter: RateLimiter, address: string, kind: PathKind = 'other', when = now) {
  const state = limiter.begin()
  assert.equal(limiter.takeAddress(state, address, kind, when), undefined, 'memory answers at once')
  return limiter.headers(state)
}
const remaining = (headers: Readonly<Record<string, string>>) => Number(headers['X-RateLimit-Remaining'])
const times = (count: number, work: (index: number) => unknown) => {
  for (let index = 0; index < count; index++) work(index)
}

describe('8.1.1 each limit: just under, exactly, just over', () => {
  type Take = (limiter: RateLimiter, state: RateState, when: Date) => Promise<void> | undefined
  const rows: readonly { name: string; limit: number; seconds: number; take: Take }[] = [
    { name: 'address', limit: 100, seconds: 60, take: (by, state, when) => by.takeAddress(state, home, 'other', when) },
    { name: 'health', limit: 100, seconds: 60, take: (by, state, when) => by.takeAddress(state, home, 'health', when) },
    { name: 'login', limit: 5, seconds: 60, take: (by, state, when) => by.takeAddress(state, home, 'login', when) },
    { name: 'user', limit: 1000, seconds: 3600, take: (by, state, when) => by.takeUser(state, 'usr_1', when) },
    { name: 'forgot', limit: 3, seconds: 60, take: (by, state, when) => by.takeForgotPassword(state, 'a@b.c', when) },
  ]
  for (const { name, limit, seconds, take } of rows) {
    test(`${name}: ${limit} in ${seconds} s`, () => {
      const limiter = withLimits()
      const reset = String(Math.ceil(start / 1000) + seconds)
      const one = (when: Date) => {
        const state = limiter.begin()
        take(limiter, state, when)
        return limiter.headers(state)
      }
      times(limit - 2, () => one(now))
      const expectedHeaders = { 'X-RateLimit-Limit': `${limit}`, 'X-RateLimit-Reset': reset }
      assert.deepEqual(one(now), { ...expectedHeaders, 'X-RateLimit-Remaining': '1' })
      assert.deepEqual(one(now), { ...expectedHeaders, 'X-RateLimit-Remaining': '0' })
      const state = limiter.begin()
      const failure = refusedBy(() => take(limiter, state, at(500)))
      assert.equal(failure.retryAfterSeconds, seconds)
      const refused = { ...expectedHeaders, 'X-RateLimit-Remaining': '0', 'Retry-After': `${seconds}` }
      assert.deepEqual(limiter.headers(state), refused)
      refusedBy(() => one(at(seconds * 1000 - 1)))
      assert.equal(remaining(one(at(seconds * 1000))), limit - 1, 'a new window begins when this one ends')
    })
  }
})

describe('8.3.4 who shares a bucket', () => {
  test('all addresses of one IPv6 /64, and no others', () => {
    const limiter = withLimits()
    requestFrom(limiter, '2001:db8::1')
    assert.equal(remaining(requestFrom(limiter, '2001:db8::ffff:1')), 98)
    assert.equal(remaining(requestFrom(limiter, '2001:db8:0:1::1')), 99)
  })
  test('an IPv4 address and its mapped form, and no other', () => {
    const limiter = withLimits()
    requestFrom(limiter, '192.0.2.1')
    assert.equal(remaining(requestFrom(limiter, '::ffff:192.0.2.1')), 98)
    assert.equal(remaining(requestFrom(limiter, '::ffff:192.0.2.2')), 99)
  })
  test('a user at any address, and no other user', () => {
    const limiter = withLimits()
    const request = (address: string, userId: string) => {
      const state = limiter.begin()
      limiter.takeAddress(state, address, 'other', now)
      limiter.takeUser(state, userId, now)
      return state.met.at(-1)!.remaining
    }
    request('192.0.2.1', 'usr_1')
    assert.equal(request('192.0.2.2', 'usr_1'), 998)
    assert.equal(request('192.0.2.2', 'usr_2'), 999)
  })
  test('an e-mail address in any case, from any address', () => {
    const limiter = withLimits()
    limiter.takeForgotPassword(limiter.begin(), 'Ada@Example.com', now)
    limiter.takeForgotPassword(limiter.begin(), 'ada@example.com', now)
    limiter.takeForgotPassword(limiter.begin(), 'ADA@EXAMPLE.COM', now)
    refusedBy(() => limiter.takeForgotPassword(limiter.begin(), 'ada@example.COM', now))
    assert.equal(limiter.takeForgotPassword(limiter.begin(), 'bob@example.com', now), undefined)
  })
  test('what is longer than an e-mail address can be takes no more memory than one', () => {
    const limiter = withLimits({ forgotPasswordPerMinute: 1 })
    limiter.takeForgotPassword(limiter.begin(), `${'a'.repeat(254)}${'b'.repeat(16_000)}`, now)
    refusedBy(() => limiter.takeForgotPassword(limiter.begin(), 'a'.repeat(254), now))
  })
})

describe('buckets beside each other (contract 8.3.4)', () => {
  test('logins count as requests and as logins, from all users of an address', () => {
    const limiter = withLimits()
    times(5, (index) => requestFrom(limiter, `2001:db8::${index}`, 'login'))
    refusedBy(() => requestFrom(limiter, '2001:db8::6', 'login'))
    assert.equal(remaining(requestFrom(limiter, '2001:db8::7')), 93, 'the address bucket came first and counted all 6')
  })
  test('an address without requests left does not count logins', () => {
    const counter = createMemoryCounter()
    const limiter = createRateLimiter({ limits: { ...defaultLimits, ipPerMinute: 2, loginPerMinute: 3 }, counter })
    times(2, () => requestFrom(limiter, home, 'login'))
    refusedBy(() => requestFrom(limiter, home, 'login'))
    const loginsOnly = createRateLimiter({ limits: { ...defaultLimits, ipPerMinute: 0, loginPerMinute: 3 }, counter })
    assert.equal(remaining(requestFrom(loginsOnly, home, 'login')), 0, 'the third login, not the fourth')
  })
  test('health checks and requests leave each other alone', () => {
    const limiter = withLimits({ ipPerMinute: 2 })
    times(2, () => requestFrom(limiter, home, 'health'))
    refusedBy(() => requestFrom(limiter, home, 'health'))
    assert.equal(remaining(requestFrom(limiter, home)), 1)
  })
  test('headers describe the fewest remaining over all takes, at equal remaining the later reset', () => {
    const limiter = withLimits({ ipPerMinute: 10, userPerHour: 10 })
    const state = limiter.begin()
    limiter.takeAddress(state, home, 'other', now)
    limiter.takeUser(state, 'usr_1', now)
    assert.deepEqual(limiter.headers(state), {
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '9',
      'X-RateLimit-Reset': String(Math.ceil(start / 1000) + 3600),
    })
  })
})

describe('0.1.2 0 turns a limit off', () => {
  const rows: readonly [PathKind, Partial<RateLimiterOptions['limits']>, number | undefined][] = [
    ['other', { ipPerMinute: 0 }, undefined],
    ['health', { ipPerMinute: 0 }, undefined],
    ['login', { ipPerMinute: 0 }, 4],
    ['login', { loginPerMinute: 0 }, 99],
    ['login', { ipPerMinute: 0, loginPerMinute: 0 }, undefined],
    ['flow', { ipPerMinute: 0 }, 19],
    ['flow', { ipPerMinute: 0, flowPerMinute: 0 }, undefined],
  ]
  for (const [kind, limits, left] of rows) {
    test(`${kind} with ${JSON.stringify(limits)} has ${left ?? 'no bucket'}`, () => {
      const headers = requestFrom(withLimits(limits), home, kind)
      assert.equal(headers['X-RateLimit-Remaining'], left === undefined ? undefined : `${left}`)
    })
  }
  test('with all of them off nothing is counted and nothing described', () => {
    const limits = { ...defaultLimits, ipPerMinute: 0, userPerHour: 0, loginPerMinute: 0, forgotPasswordPerMinute: 0 }
    const counter = createMemoryCounter()
    const limiter = createRateLimiter({ limits, counter })
    const state = limiter.begin()
    times(2000, () => {
      limiter.takeAddress(state, home, 'login', now)
      limiter.takeUser(state, 'usr_1', now)
      limiter.takeForgotPassword(state, 'a@b.c', now)
      limiter.takeMore(state, home, 'usr_1', 9, now)
    })
    assert.deepEqual(limiter.headers(state), {})
    assert.equal(counter.windows, 0)
  })
})

describe('further requests in one: subscribe messages and root mutations (contract 6.2.6, 8.2.5)', () => {
  test('count by address and by user', () => {
    const limiter = withLimits()
    const state = limiter.begin()
    limiter.takeAddress(state, home, 'other', now)
    limiter.takeUser(state, 'usr_1', now)
    limiter.takeMore(state, home, 'usr_1', 9, now)
    assert.deepEqual(
      state.met.map((result) => [result.bucket.name, result.remaining]),
      [
        ['address', 90],
        ['user', 990],
      ],
    )
  })
  test('by address alone where the caller is anonymous', () => {
    const limiter = withLimits()
    const state = limiter.begin()
    limiter.takeMore(state, home, null, 1, now)
    assert.deepEqual(
      state.met.map((result) => result.bucket.name),
      ['address'],
    )
  })
  test('no further request counts nothing', () => {
    const limiter = withLimits()
    const state = limiter.begin()
    limiter.takeMore(state, home, 'usr_1', 0, now)
    assert.deepEqual(limiter.headers(state), {})
  })
  test('all or none: exactly as many as there is room for, then one more than that', () => {
    const limiter = withLimits({ ipPerMinute: 10 })
    requestFrom(limiter, home)
    const state = limiter.begin()
    refusedBy(() => limiter.takeMore(state, home, 'usr_1', 10, now))
    assert.deepEqual(limiter.headers(state)['X-RateLimit-Remaining'], '9')
    assert.equal(state.met.length, 1, 'the user bucket did not count it')
    limiter.takeMore(limiter.begin(), home, 'usr_1', 9, now)
    refusedBy(() => requestFrom(limiter, home))
  })
})

describe('limits that an author declares', () => {
  const search: RouteLimit = { name: 'search', limit: 2, windowSeconds: 10, by: 'address' }
  const report: RouteLimit = { name: 'report', limit: 1, windowSeconds: 86_400, by: 'user' }
  const off: RouteLimit = { name: 'off', limit: 0, windowSeconds: 1, by: 'user' }

  test('refuse beyond their number, in their window, beside the others', () => {
    const limiter = withLimits({}, [search])
    const request = (when: Date) => limiter.takeRoute(limiter.begin(), [search], home, 'usr_1', when)
    times(2, () => request(now))
    assert.equal(refusedBy(() => request(at(3_000))).retryAfterSeconds, 7)
    assert.equal(request(at(10_000)), undefined)
    assert.equal(remaining(requestFrom(limiter, home)), 99)
  })
  test('by user: one bucket at all addresses, and the address where the caller is anonymous', () => {
    const limiter = withLimits({}, [report])
    const request = (address: string, userId: string | null) =>
      limiter.takeRoute(limiter.begin(), [report], address, userId, now)
    request('192.0.2.1', 'usr_1')
    refusedBy(() => request('192.0.2.2', 'usr_1'))
    assert.equal(request('192.0.2.1', 'usr_2'), undefined)
    assert.equal(request('192.0.2.1', null), undefined)
    refusedBy(() => request('::ffff:192.0.2.1', null))
  })
  test('several in order, and none of those that are off', () => {
    const limiter = withLimits({}, [search, report, off])
    const request = (userId: string) => {
      const state = limiter.begin()
      limiter.takeRoute(state, [report, off, search], home, userId, now)
      return state
    }
    assert.equal(request('usr_1').met.length, 2)
    refusedBy(() => request('usr_1'))
    assert.equal(request('usr_2').met.at(-1)!.remaining, 0, 'the refused request did not count in search')
  })
  test('never touch the bucket of the service that has the same name', () => {
    const user: RouteLimit = { name: 'user', limit: 1, windowSeconds: 3600, by: 'user' }
    const limiter = withLimits({}, [user])
    limiter.takeRoute(limiter.begin(), [user], home, 'usr_1', now)
    const state = limiter.begin()
    limiter.takeUser(state, 'usr_1', now)
    assert.equal(remaining(limiter.headers(state)), 999)
  })
  const wrong: readonly [RouteLimit[], RegExp][] = [
    [[{ ...search, name: '' }], /needs a name/],
    [[{ ...search, limit: -1 }], /'search' must be a whole number/],
    [[{ ...search, limit: 1.5 }], /'search' must be a whole number/],
    [[{ ...search, windowSeconds: 0 }], /'search' needs a window/],
    [[search, { ...search, limit: 3 }], /'search' is declared twice, and differently/],
    [[search, { ...search, by: 'user' }], /'search' is declared twice, and differently/],
  ]
  for (const [routeLimits, sentence] of wrong) {
    test(`stop the start: ${sentence.source}`, () => assert.throws(() => withLimits({}, routeLimits), sentence))
  }
  test('may be declared by several routes, and must be declared', () => {
    const limiter = withLimits({}, [search, { ...search }])
    assert.equal(limiter.takeRoute(limiter.begin(), [{ ...search }], home, null, now), undefined)
    assert.throws(() => limiter.takeRoute(limiter.begin(), [report], home, null, now), /'?report/)
  })
})

test('a counter that answers later is waited for, and refuses by rejection', async () => {
  const memory = createMemoryCounter()
  const later: Counter = { state: 'ok', take: async (...args) => memory.take(...args), close: () => {} }
  const limiter = createRateLimiter({ limits: { ...defaultLimits, ipPerMinute: 1 }, counter: later })
  const first = limiter.begin()
  await limiter.takeAddress(first, home, 'other', now)
  assert.equal(remaining(limiter.headers(first)), 0)
  const second = limiter.begin()
  await assert.rejects(async () => limiter.takeAddress(second, home, 'other', now), {
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 60,
  })
  assert.equal(limiter.headers(second)['Retry-After'], '60')
})
