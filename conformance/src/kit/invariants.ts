// Clauses that every answer of a run must keep, whichever test it belongs to.

import type { Answer } from './answer.ts'

export interface Invariant {
  readonly clause: string
  /** Whether the clause is about this answer. */
  applies(answer: Answer): boolean
  /** Returns what is wrong, or null. */
  problem(answer: Answer): string | null
}

/** The statuses of each code. (7.1) */
const statuses: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  UNAUTHENTICATED: 401,
  INVALID_TOKEN: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_REUSED: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  EVENTS_GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  HEADERS_TOO_LARGE: 431,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  BUSINESS_RULE_VIOLATION: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
}

const isGraphql = ({ request }: Answer) => /^\/graphql(?:$|\?)/.test(request.target)
const isApi = ({ request }: Answer) => request.target.startsWith('/api/') && !request.target.startsWith('/api/auth')
const isAuth = ({ request }: Answer) => /^\/(?:api\/)?auth\//.test(request.target)
const hasBody = ({ request, status, text }: Answer) => request.method !== 'HEAD' && status !== 304 && text !== ''
const isFailure = ({ status, headers }: Answer) =>
  status >= 400 && headers['content-type'] !== 'application/problem+json'
const isRead = ({ request }: Answer) => ['GET', 'HEAD', 'QUERY'].includes(request.method)
const unless = (holds: boolean, problem: string): string | null => (holds ? null : problem)

const isOwnNotFound = (code: string, status: number) => status === 404 && /^[A-Z]+(?:_[A-Z]+)*_NOT_FOUND$/.test(code)

/** Headers that bare sockets and errors of HTTP itself lack. */
const isBeforeHttp = ({ status }: Answer) => [400, 408, 414, 431].includes(status)

export const invariants: readonly Invariant[] = [
  {
    clause: '7.1.1',
    applies: (answer) => isFailure(answer) && !isGraphql(answer) && hasBody(answer),
    problem({ json, status }) {
      const code = json?.error?.code
      return unless(
        statuses[code] === status || isOwnNotFound(String(code), status),
        `The code ${code} has the status ${status}.`,
      )
    },
  },
  {
    clause: '7.2.1',
    applies: (answer) => isFailure(answer) && !isGraphql(answer) && hasBody(answer),
    problem({ json }) {
      const error = json?.error
      if (Object.keys(json ?? {}).join() !== 'error') return 'The body has other members than `error`.'
      const memberNames = ['code', 'message', 'details']
      if (!Object.keys(error).every((name) => memberNames.includes(name))) return 'The error has other members.'
      if (typeof error.message !== 'string' || error.message === '') return 'The error has no message.'
      const details = error.details ?? []
      const isDetail = (each: Record<string, unknown>) =>
        typeof each?.field === 'string' && typeof each.message === 'string' && Object.keys(each).length === 2
      return unless(Array.isArray(details) && details.every(isDetail), 'A detail is not `{ field, message }`.')
    },
  },
  {
    clause: '7.2.2',
    applies: (answer) => isApi(answer) && answer.json?.error !== undefined,
    problem: ({ status }) => unless(status >= 400, `A failure has the status ${status}.`),
  },
  {
    clause: '7.2.3',
    applies: isFailure,
    problem: ({ text }) =>
      unless(
        !/\bat [^ ]+ \(?(?:file:|\/|node:)|\bselect .+ from\b|SQLITE_|relation ".+" does not exist/i.test(text),
        'The answer shows internals.',
      ),
  },
  {
    clause: '7.2.7',
    applies: (answer) => isFailure(answer) && hasBody(answer),
    problem: ({ json }) =>
      unless(json?.error !== undefined || json?.errors !== undefined, 'It is no error of the API.'),
  },
  {
    clause: '7.3.2',
    applies: (answer) =>
      isGraphql(answer) && (answer.json?.errors !== undefined || isFailure(answer)) && hasBody(answer),
    problem({ json }) {
      const isError = (error: { message?: unknown; extensions?: { code?: string } }) =>
        typeof error?.message === 'string' && typeof error.extensions?.code === 'string'
      return unless(Array.isArray(json?.errors) && json.errors.every(isError), 'An error lacks message or code.')
    },
  },
  {
    clause: '7.3.1',
    applies: (answer) => isGraphql(answer) && (answer.headers['content-type'] ?? '').startsWith('application/json'),
    problem: ({ status, json }) =>
      unless(
        status === 200 ||
          [304, 400, 405, 408, 413, 414, 415, 417, 429, 431, 503].includes(status) ||
          json === undefined,
        `The status is ${status}.`,
      ),
  },
  {
    clause: '4.10.1',
    applies: (answer) => !isBeforeHttp(answer),
    problem({ headers, text, status, request }) {
      if (headers['x-request-id'] === undefined) return 'There is no X-Request-ID.'
      if (headers['cache-control'] === undefined && status !== 204 && status !== 405)
        return 'There is no Cache-Control.'
      if (text !== '' && headers['content-type'] === undefined) return 'A body has no Content-Type.'
      return unless(
        request.method === 'HEAD' || text !== '' || headers['content-type'] === undefined || status === 304,
        'An empty body has a Content-Type.',
      )
    },
  },
  {
    clause: '4.10.2',
    applies: (answer) => isApi(answer) || isAuth(answer) || (isGraphql(answer) && answer.json !== undefined),
    problem({ headers }) {
      if (headers['x-content-type-options'] !== 'nosniff') return 'There is no X-Content-Type-Options: nosniff.'
      if (headers['x-frame-options'] !== 'DENY') return 'There is no X-Frame-Options: DENY.'
      if (headers['referrer-policy'] !== 'no-referrer') return 'There is no Referrer-Policy: no-referrer.'
      if (!/max-age=\d+/.test(headers['strict-transport-security'] ?? ''))
        return 'There is no Strict-Transport-Security.'
      return unless(
        (headers['content-security-policy'] ?? '').startsWith("default-src 'none'"),
        "There is no Content-Security-Policy: default-src 'none'.",
      )
    },
  },
  {
    clause: '4.10.8',
    applies: ({ status }) => status === 401,
    problem: ({ headers, request, json }) => {
      const challenge = headers['www-authenticate'] ?? ''
      if (!challenge.startsWith('Bearer')) return 'There is no WWW-Authenticate: Bearer.'
      const isRefusedToken = request.as !== null && json?.error?.code === 'INVALID_TOKEN'
      return unless(!isRefusedToken || challenge.includes('error="invalid_token"'), 'It lacks error="invalid_token".')
    },
  },
  {
    clause: '4.10.9',
    applies: ({ status }) => status === 429 || status === 503,
    problem: ({ headers }) => unless(/^\d+$/.test(headers['retry-after'] ?? ''), 'There is no Retry-After in seconds.'),
  },
  {
    clause: '4.11.2',
    applies: (answer) => isFailure(answer) || isAuth(answer) || (isApi(answer) && !isRead(answer)),
    problem: ({ headers, request }) =>
      unless(
        request.method === 'OPTIONS' || (headers['cache-control'] ?? '').includes('no-store'),
        `Cache-Control is ${headers['cache-control']}.`,
      ),
  },
  {
    clause: '4.2.1',
    applies: (answer) =>
      isApi(answer) &&
      answer.status < 300 &&
      hasBody(answer) &&
      !/\/(?:openapi|workflows)\.json/.test(answer.request.target),
    problem({ json, headers }) {
      if (headers['content-type'] !== 'application/json; charset=utf-8')
        return `Content-Type is ${headers['content-type']}.`
      return unless(json?.data !== undefined || json?.meta !== undefined, 'There is neither `data` nor `meta`.')
    },
  },
  {
    clause: '2.1.4',
    applies: (answer) => isApi(answer) && typeof answer.data?.created_at === 'string',
    problem({ data }) {
      const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
      return unless(form.test(data.created_at) && form.test(data.updated_at), `created_at is ${data.created_at}.`)
    },
  },
]

/** Keeps what the answers of a run break. */
export class Observer {
  readonly #counts = new Map<string, number>()
  readonly #problems = new Map<string, string>()

  readonly observe = (answer: Answer): void => {
    for (const { clause, applies, problem } of invariants) {
      if (!applies(answer)) continue
      this.#counts.set(clause, (this.#counts.get(clause) ?? 0) + 1)
      const found = problem(answer)
      if (found !== null && !this.#problems.has(clause)) this.#problems.set(clause, answer.describe(found))
    }
  }

  /** Returns what is wrong with the answers of this run, null if nothing is, and undefined if the clause is about none of them. */
  verdict(clause: string): string | null | undefined {
    if (!this.#counts.has(clause)) return undefined
    return this.#problems.get(clause) ?? null
  }
}
