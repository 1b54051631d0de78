// Whether the process is up, and whether it can do its work. (contract 0)

import { Failure } from './failure/failure.ts'
import type { EndpointDescription } from './http/endpoint-description.ts'
import type { Exchange, Reply } from './http/exchange.ts'

/** Each dependency by name; resolves when it answers, rejects with the reason. */
export type Checks = Readonly<Record<string, () => Promise<void>>>

export function createHealth(checks: Checks): (exchange: Exchange) => Promise<Reply> {
  return async ({ method, path }) => {
    if (path !== '/health' && path !== '/health/ready') throw new Failure('NOT_FOUND')
    const allow = 'GET, HEAD, OPTIONS'
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, ...noStore }, body: null }
    if (method !== 'GET' && method !== 'HEAD') throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
    return path === '/health' ? alive : ready(checks)
  }
}

const noStore = { 'Cache-Control': 'no-store' }
const alive: Reply = { status: 200, headers: noStore, body: '{"data":{"status":"ok"}}' }

async function ready(checks: Checks): Promise<Reply> {
  const names = Object.keys(checks)
  const results = await Promise.allSettled(names.map((name) => checks[name]!()))
  const isReady = results.every((each) => each.status === 'fulfilled')
  // Which dependency it is helps an operator; why it fails is for the log.
  const dependencies = Object.fromEntries(
    names.map((name, index) => [name, results[index]!.status === 'fulfilled' ? 'ok' : 'lost']),
  )
  const body = JSON.stringify({ data: { status: isReady ? 'ok' : 'unavailable', dependencies } })
  return { status: isReady ? 200 : 503, headers: isReady ? noStore : { ...noStore, 'Retry-After': '1' }, body }
}

const said = (values: readonly string[]) => ({ type: 'string', enum: values })
const envelope = (properties: Readonly<Record<string, object>>) => {
  const data = { type: 'object', additionalProperties: false, properties, required: Object.keys(properties) }
  return { type: 'object', additionalProperties: false, properties: { data }, required: ['data'] }
}
const dependencies = { type: 'object', maxProperties: 10, additionalProperties: said(['ok', 'lost']) }
const answer = (status: string, names: object = {}) => ({ data: { status, ...names } })

/** What is answered here, for documents. */
export const healthEndpoints: readonly EndpointDescription[] = [
  {
    method: 'GET',
    path: '/health',
    operationId: 'health',
    summary: 'Whether the process is up',
    tag: 'health',
    answers: [
      {
        status: 200,
        description: 'It is.',
        body: { schema: envelope({ status: said(['ok']) }), example: answer('ok') },
      },
    ],
    failures: [],
  },
  {
    method: 'GET',
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Whether it can do its work',
    tag: 'health',
    answers: [
      {
        status: 200,
        description: 'It can.',
        body: {
          schema: envelope({ status: said(['ok']), dependencies }),
          example: answer('ok', { dependencies: { database: 'ok' } }),
        },
      },
      {
        status: 503,
        description: 'Something that it needs does not answer.',
        headers: ['Retry-After'],
        body: {
          schema: {
            anyOf: [envelope({ status: said(['unavailable']), dependencies }), { $ref: '#/components/schemas/Error' }],
          },
          example: answer('unavailable', { dependencies: { database: 'lost' } }),
        },
      },
    ],
    failures: [],
  },
]
