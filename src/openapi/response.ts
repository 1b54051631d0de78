// Headers, envelopes and failures. (contract 4.2.1, 7.2)

import { catalogue, type FailureCode, statementOf } from '../failure/failure.ts'
import { type ResponseHeader, responseHeaders } from '../http/message/headers.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import type { Version } from '../rest/route/version.ts'
import type { Reference } from './parameter.ts'
import { count64, int32, objectSchema } from './schema.ts'

interface Header {
  readonly description: string
  readonly schema: JsonSchema
}
export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference | Header>>
  readonly content?: Readonly<Record<string, object>>
}

export const text = (name: ResponseHeader, schema: JsonSchema): Header => ({
  description: responseHeaders[name],
  schema: { type: 'string', maxLength: 8192, ...schema },
})
const count = (name: ResponseHeader): Header => ({
  description: responseHeaders[name],
  schema: count64,
})

const headers: Readonly<Record<string, Header>> = {
  'X-Request-ID': text('X-Request-ID', { maxLength: 128, pattern: '^[A-Za-z0-9._-]{1,128}$' }),
  'X-RateLimit-Limit': count('X-RateLimit-Limit'),
  'X-RateLimit-Remaining': count('X-RateLimit-Remaining'),
  'X-RateLimit-Reset': count('X-RateLimit-Reset'),
  'Cache-Control': text('Cache-Control', {}),
  Vary: text('Vary', {}),
  'Accept-Query': text('Accept-Query', { enum: ['application/json'] }),
  ETag: text('ETag', {
    pattern: '^"[!#-~]+"$',
  }),
  Location: text('Location', { format: 'uri-reference' }),
  'Idempotent-Replayed': text('Idempotent-Replayed', {
    enum: ['true'],
  }),
  Allow: text('Allow', {}),
  'Retry-After': count('Retry-After'),
  'WWW-Authenticate': text('WWW-Authenticate', {}),
  Deprecation: text('Deprecation', { pattern: '^@-?\\d+$' }),
  Sunset: text('Sunset', {}),
  Link: text('Link', {}),
  'Strict-Transport-Security': text('Strict-Transport-Security', {}),
  'X-Content-Type-Options': text('X-Content-Type-Options', { enum: ['nosniff'] }),
  'X-Frame-Options': text('X-Frame-Options', { enum: ['DENY'] }),
  'Content-Security-Policy': text('Content-Security-Policy', {}),
  'Referrer-Policy': text('Referrer-Policy', { enum: ['no-referrer'] }),
  'Access-Control-Allow-Origin': text('Access-Control-Allow-Origin', {}),
  'Access-Control-Expose-Headers': text('Access-Control-Expose-Headers', {}),
}

const onEvery = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Cache-Control',
  'Vary',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'Content-Security-Policy',
  'Referrer-Policy',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
]
const onDeprecated = ['Deprecation', 'Sunset', 'Link']
/** `leaves`: whether the action itself is deprecated. */
const leaving = ({ isDeprecated }: Version, leaves: boolean): readonly string[] =>
  onDeprecated.filter((name) => isDeprecated || (leaves && name !== 'Link'))

export function headersUnder(version: Version, leaves: boolean): Readonly<Record<string, Header>> {
  const names = [...leaving(version, leaves), 'Link']
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => names.includes(name) || !onDeprecated.includes(name)),
  )
}

/** `more`: in addition to those of every answer. */
export const headersOf = (version: Version, more: readonly string[] = [], leaves = false): Response['headers'] =>
  Object.fromEntries(
    [...onEvery, ...leaving(version, leaves), ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

const isGraphqlOnly = (code: string): boolean => /^(GRAPHQL|QUERY|PERSISTED)_/.test(code)

/** Adds the service's own codes after the one they replace. */
const withOwn = (codes: readonly string[], own: readonly string[]): readonly string[] =>
  codes.flatMap((code) => (code === 'NOT_FOUND' ? [code, ...own] : [code]))

/** A code of the catalogue or of the service itself. `owesFactors`: sign-ins may owe a second factor. */
export const errorSchema = (own: readonly string[], owesFactors: boolean): JsonSchema => ({
  ...objectSchema(
    { error: { ...errorMembers(own, owesFactors ? { challenge } : {}), description: 'What is wrong.' } },
    ['error'],
  ),
  description: 'A failure.',
})

const challenge = {
  ...objectSchema(
    {
      token: { type: 'string', maxLength: 64, description: 'Is sent with the second factor.' },
      methods: {
        type: 'array',
        maxItems: 4,
        items: { type: 'string', enum: ['totp', 'passkey', 'recovery_code', 'setup'] },
        description: 'What completes the sign-in.',
      },
      expires_in: { ...int32(1, 3600), description: 'In seconds.' },
    },
    ['token', 'methods', 'expires_in'],
  ),
  description: 'Of SECOND_FACTOR_REQUIRED.',
}

function errorMembers(own: readonly string[], more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return objectSchema(
    {
      code: {
        type: 'string',
        enum: withOwn(
          Object.keys(catalogue).filter(
            (code) => !isGraphqlOnly(code) && ('challenge' in more || code !== 'SECOND_FACTOR_REQUIRED'),
          ),
          own,
        ),
        description: 'For programs: it never changes.',
      },
      message: { type: 'string', maxLength: 8192, description: 'For people. It may change; the code does not.' },
      details: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        description: 'The problems of the request, if there are several or they have a place.',
        items: objectSchema(
          {
            field: {
              type: 'string',
              maxLength: 1_048_576,
              description: 'Such as `title`, `posts[3].title`, `ids[2]`.',
            },
            message: { type: 'string', maxLength: 8192, description: 'What is wrong with it.' },
          },
          ['field', 'message'],
        ),
      },
      ...more,
    },
    ['code', 'message'],
  )
}

interface Refusal {
  readonly status: string
  readonly description: string
  readonly codes: readonly FailureCode[]
  readonly headers?: readonly string[]
}

/** By component name. */
const refusals: Readonly<Record<string, Refusal>> = {
  BadRequest: { status: '400', description: 'The request is malformed.', codes: ['VALIDATION_ERROR'] },
  Unauthorized: {
    status: '401',
    description: 'No credential was sent, or it was refused.',
    codes: ['UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INVALID_CREDENTIALS'],
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    status: '403',
    description: 'The caller may not do this.',
    codes: ['FORBIDDEN', 'INSUFFICIENT_SCOPE'],
    headers: ['WWW-Authenticate'],
  },
  NotFound: {
    status: '404',
    description: 'There is no such record, or the caller may not see it.',
    codes: ['NOT_FOUND'],
  },
  RequestTimeout: { status: '408', description: 'The request took too long to arrive.', codes: ['REQUEST_TIMEOUT'] },
  Conflict: {
    status: '409',
    description: 'The record is in another state, of another version, or a value is taken.',
    codes: ['CONFLICT'],
    headers: ['Retry-After'],
  },
  Gone: { status: '410', description: 'The events are no longer kept.', codes: ['EVENTS_GONE'] },
  PayloadTooLarge: { status: '413', description: 'The body is too large.', codes: ['PAYLOAD_TOO_LARGE'] },
  UnsupportedMediaType: {
    status: '415',
    description: 'The body is not application/json.',
    codes: ['UNSUPPORTED_MEDIA_TYPE'],
    headers: ['Accept-Query'],
  },
  UnprocessableContent: {
    status: '422',
    description: 'A business rule does not allow it.',
    codes: ['BUSINESS_RULE_VIOLATION', 'IDEMPOTENCY_KEY_REUSED'],
  },
  TooManyRequests: {
    status: '429',
    description: 'Too many requests.',
    codes: ['RATE_LIMIT_EXCEEDED'],
    headers: ['Retry-After'],
  },
  InternalError: { status: '500', description: 'The service failed.', codes: ['INTERNAL_ERROR'] },
  ServiceUnavailable: {
    status: '503',
    description: 'The service cannot answer at the moment.',
    codes: ['SERVICE_UNAVAILABLE'],
    headers: ['Retry-After'],
  },
  Failure: { status: 'default', description: 'Any other failure.', codes: ['INTERNAL_ERROR'], headers: ['Allow'] },
}

/** By name. */
export const sharedResponses = (
  version: Version,
  leaves: boolean,
  own: readonly string[],
  hasEvents: boolean,
): Readonly<Record<string, Response>> =>
  Object.fromEntries([
    ...Object.entries(refusals)
      .filter(([name]) => hasEvents || name !== 'Gone')
      .map(([name, each]) => [name, refusalResponse(each, version, leaves, own)]),
    ['NotModified', notModified(version, leaves)],
  ])

function refusalResponse(
  { description, codes, headers: more = [] }: Refusal,
  version: Version,
  leaves: boolean,
  own: readonly string[],
): Response {
  const [code] = codes
  const example = { error: { code, message: statementOf(code!).message } }
  return {
    description: `${description} (${withOwn(codes, own).join(', ')})`,
    headers: headersOf(version, more, leaves),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  }
}

const notModified = (version: Version, leaves: boolean): Response => ({
  description: 'The client has it already.',
  headers: headersOf(version, ['ETag', 'Accept-Query'], leaves),
})

/** By status. */
export const refusalsOf = (names: readonly string[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(names.map((name) => [refusals[name]!.status, { $ref: `#/components/responses/${name}` }]))

/** And the default. */
export function refusalsWith(statuses: readonly number[]): Readonly<Record<string, Reference>> {
  const names = Object.keys(refusals).filter((name) => statuses.includes(Number(refusals[name]!.status)))
  return refusalsOf([...names, 'Failure'])
}
