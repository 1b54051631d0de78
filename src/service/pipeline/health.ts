// Health and readiness endpoints. (contract 0.2)

import { Failure } from '../../failure/failure.ts'
import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'

/** By dependency; rejects with the reason. */
export type Checks = Readonly<Record<string, () => Promise<Answer>>>
type Answer = 'ok' | 'read-only' | 'full' | 'gone' | 'damaged'
const isReadable = (state: Answer | 'lost'): boolean => state === 'ok' || state === 'read-only' || state === 'full'

export interface PendingIndexes {
  readonly pending: number
  /** From 0 to 1, of all that were pending at the start. */
  readonly progress: number
}
/** Null once they are built. */
export type ReadPendingIndexes = () => Promise<PendingIndexes | null>

export interface HealthDependencies {
  /** Without one of these the process is not ready. */
  readonly needed: Checks
  /** Reported only; the process is ready without them. (contract 0.2.5) */
  readonly useful: Checks
  /** Of those that are built in the background; the process is ready without them. (contract 18.1.10) */
  readonly pendingIndexes: ReadPendingIndexes | null
  readonly isDraining: () => boolean
  readonly limits: Pick<Limits, 'readyTimeoutMs'>
}

export function createHealth(dependencies: HealthDependencies): (exchange: Exchange) => Promise<Reply> {
  return async ({ method, path }) => {
    if (path !== '/health' && path !== '/health/ready') throw new Failure('NOT_FOUND')
    const allow = 'GET, HEAD, OPTIONS'
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, ...noStore }, body: null }
    if (method !== 'GET' && method !== 'HEAD') throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
    return path === '/health' ? alive : ready(dependencies)
  }
}

const noStore = { 'Cache-Control': 'no-store' }
const alive: Reply = { status: 200, headers: noStore, body: '{"data":{"status":"ok"}}' }

async function ready({ needed, useful, pendingIndexes, isDraining, limits }: HealthDependencies): Promise<Reply> {
  const checks = Object.entries({ ...needed, ...useful })
  // Names the dependency; the reason is logged only.
  const states = await Promise.all(checks.map(async ([name, check]) => [name, await stateOf(check, limits)] as const))
  const isAble = states.every(([name, state]) => isReadable(state) || !Object.hasOwn(needed, name))
  const status = !isAble ? 'unavailable' : isDraining() ? 'draining' : 'ok'
  const isReady = status === 'ok'
  const pending = pendingIndexes === null || !isReady ? null : await pendingIndexes().catch(() => null)
  const indexes = pending === null ? {} : { indexes: pending }
  const body = JSON.stringify({ data: { status, dependencies: Object.fromEntries(states), ...indexes } })
  return { status: isReady ? 200 : 503, headers: isReady ? noStore : { ...noStore, 'Retry-After': '1' }, body }
}

/** Within `readyTimeoutMs`; never rejects. */
export const answersReads = async (
  ping: () => Promise<Answer>,
  limits: HealthDependencies['limits'],
): Promise<boolean> => isReadable(await stateOf(ping, limits))

/** A check beyond `readyTimeoutMs` counts as lost. */
async function stateOf(
  check: () => Promise<Answer>,
  { readyTimeoutMs }: HealthDependencies['limits'],
): Promise<Answer | 'lost'> {
  const { promise: late, resolve } = Promise.withResolvers<'lost'>()
  const timer = setTimeout(() => resolve('lost'), readyTimeoutMs)
  const outcome = check().catch(() => 'lost' as const)
  const state = await Promise.race([outcome, late])
  clearTimeout(timer)
  return state
}

const oneOf = (values: readonly string[], description: string) => ({ type: 'string', enum: values, description })
const envelope = (properties: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) => {
  const required = Object.keys(properties)
  const data = {
    type: 'object',
    additionalProperties: false,
    properties: { ...properties, ...optional },
    required,
    description: 'How it is.',
  }
  return { type: 'object', additionalProperties: false, properties: { data }, required: ['data'] }
}
const dependencyStates = {
  type: 'object',
  maxProperties: 10,
  description: 'How what the service needs is, by name.',
  additionalProperties: oneOf(['ok', 'read-only', 'full', 'gone', 'damaged', 'lost'], 'How it is.'),
}
const indexState = {
  type: 'object',
  additionalProperties: false,
  description: 'Indexes that are built in the background, while there are any.',
  required: ['pending', 'progress'],
  properties: {
    pending: { type: 'integer', format: 'int32', minimum: 1, maximum: 10_000, description: 'How many.' },
    progress: {
      type: 'number',
      format: 'double',
      minimum: 0,
      maximum: 1,
      description: 'Of those that were pending at the start.',
    },
  },
}
const answer = (status: string, names: object = {}) => ({ data: { status, ...names } })

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
        body: { schema: envelope({ status: oneOf(['ok'], 'It answers.') }), example: answer('ok') },
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
          schema: envelope(
            { status: oneOf(['ok'], 'It answers.'), dependencies: dependencyStates },
            { indexes: indexState },
          ),
          example: answer('ok', { dependencies: { database: 'ok' } }),
        },
      },
      {
        status: 503,
        description: 'Something that it needs does not answer, or it is about to stop.',
        headers: ['Retry-After'],
        body: {
          schema: {
            anyOf: [
              envelope({
                status: oneOf(['unavailable', 'draining'], 'It cannot answer.'),
                dependencies: dependencyStates,
              }),
              { $ref: '#/components/schemas/Error' },
            ],
          },
          example: answer('unavailable', { dependencies: { database: 'lost' } }),
        },
      },
    ],
    failures: [],
  },
]
