// Describes authentication's endpoints and the key set for OpenAPI. (contract 4.12)

import type { DescribedAnswer, DescribedBody, EndpointDescription } from '../http/message/endpoint-description.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { valueSchema } from '../resource/field/registry.ts'
import type { AccountsModel } from '../resource/model/model.ts'
import type { EndpointDependencies } from './endpoints.ts'

export interface DescriptionOptions extends Pick<EndpointDependencies, 'refreshTokenIn'> {
  readonly accounts: AccountsModel
  /** The forms of login besides login and password. */
  readonly forms: readonly JsonSchema[]
  /** A public account for the examples. */
  readonly demo?: { readonly email: string; readonly password: string } | undefined
}

/** HEAD and OPTIONS, which every endpoint has, are left out. */
export function describeAuthEndpoints(options: DescriptionOptions): readonly EndpointDescription[] {
  return [
    ...endpointsAt('/auth', '', options),
    // For programs, without cookies.
    ...endpointsAt('/api/auth', 'Api', { ...options, refreshTokenIn: 'body' }),
    keySet,
  ]
}

type Described = Pick<EndpointDescription, 'summary' | 'answers' | 'body'>
export const describePost = (
  prefix: string,
  name: string,
  operationId: string,
  more: Described,
): EndpointDescription => ({
  method: 'POST',
  path: `${prefix}/${name}`,
  operationId,
  tag: 'auth',
  failures: [400, 401, 413, 415],
  ...more,
})

/** Describes one endpoint of sign-in methods at its two addresses. */
export type Post = (name: string, id: string, more: Described) => EndpointDescription
/** Of endpoints that read `Authorization`. */
export const inSession = { isSignedIn: true, failures: [400, 401, 403, 413, 415] }

function endpointsAt(
  prefix: string,
  suffix: string,
  { accounts, refreshTokenIn: carrier, demo = exampleAccount, forms }: DescriptionOptions,
): readonly EndpointDescription[] {
  const post = (name: string, id: string, more: Described) => describePost(prefix, name, id + suffix, more)
  const inCookie = carrier === 'cookie'
  const tokenInput = inCookie
    ? { body: { ...noMembers, required: false }, cookie: 'refresh_token', failures: [400, 401, 403, 413, 415] }
    : { body: requestBody({ refresh_token: refreshText }, { refresh_token: refreshToken }) }
  const tokens = inCookie ? { ...pair(false), cookie: 'The refresh token.' } : pair(true)
  return [
    post('login', 'signIn', {
      summary: 'Sign in',
      body: loginBody(demo, forms),
      answers: [tokens],
    }),
    { ...post('refresh', 'refresh', { summary: 'Renew both tokens', answers: [tokens] }), ...tokenInput },
    {
      ...post('logout', 'signOut', {
        summary: 'End the session',
        answers: [
          {
            status: 200,
            description: 'The session has ended, whether there was one or not.',
            body: noMembers,
            ...(inCookie ? { cookie: 'Forgets the refresh token.' } : {}),
          },
        ],
      }),
      ...tokenInput,
    },
    post('forgot-password', 'forgotPassword', {
      summary: 'Request a password reset mail',
      body: requestBody({ email: emailText }, { email: demo.email }),
      answers: [{ status: 202, description: 'If there is such an account, a mail is on its way.', body: noMembers }],
    }),
    post('reset-password', 'resetPassword', {
      summary: 'Set a new password',
      body: requestBody(
        {
          token: text('From the mail. Begins with prt_.'),
          password: newPassword(accounts),
        },
        { token: `prt_${'A'.repeat(43)}`, password: examplePassword },
      ),
      answers: [{ status: 204, description: 'The password is set, and every session has ended.' }],
    }),
  ]
}

/** The schema of a password that is chosen. */
export const newPassword = ({ password }: AccountsModel): JsonSchema => ({
  ...valueSchema(password.spec, true, (part) => part),
  description: 'The new password.',
})
export const examplePassword = 'correct horse battery staple'
/** One of the forms. */
export function loginBody(
  example: { readonly email: string; readonly password: string },
  forms: readonly JsonSchema[],
): DescribedBody & { readonly required: boolean } {
  const byPassword = requestBody({ email: emailText, password: passwordText }, example)
  return forms.length === 0 ? byPassword : { ...byPassword, schema: { oneOf: [byPassword.schema, ...forms] } }
}

export const exampleAccount = { email: 'ada@example.com', password: examplePassword }
const refreshToken = `rt_${'A'.repeat(43)}`

export const text = (description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description,
})
export const passwordText = text('The password of the account.')
export const emailText = text('What the account signs in with.')
export const challengeText = text('From the failure SECOND_FACTOR_REQUIRED. Begins with chl_.')
const refreshText = text('Renews both tokens, once. Begins with rt_.')

export const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(Object.keys(properties).length === 0 ? { maxProperties: 0 } : { required: Object.keys(properties) }),
})

export const membersOf = (schema: JsonSchema) => schema['properties'] as Readonly<Record<string, JsonSchema>>

export const requestBody = (properties: Readonly<Record<string, JsonSchema>>, example: object) => ({
  schema: object(properties),
  example,
  required: true,
})
export const noMembers: DescribedBody = { schema: object({}), example: {} }

/** Without the refresh token if it travels in a cookie. */
export function pair(withRefreshToken: boolean): DescribedAnswer {
  const more = withRefreshToken ? { refresh_token: refreshText } : {}
  return tokensAnswer('Signed in.', more, withRefreshToken ? { refresh_token: refreshToken } : {})
}

export function tokensAnswer(
  description: string,
  more: Readonly<Record<string, JsonSchema>>,
  example: object,
): DescribedAnswer {
  const token = { type: 'string', minLength: 1, maxLength: 8192 }
  const schema = object({
    access_token: { ...token, description: 'A JSON Web Token, for the header Authorization.' },
    ...more,
    token_type: { type: 'string', const: 'Bearer', description: 'How the access token is sent.' },
    expires_in: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647, description: 'In seconds.' },
  })
  const words = { access_token: 'header.claims.signature', ...example, token_type: 'Bearer', expires_in: 900 }
  return { status: 200, description, body: { schema, example: words } }
}
export const accessTokenAnswer = tokensAnswer('A new access token of the same session.', {}, {})

const keyMembers = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }
const member = { type: 'string', minLength: 1, maxLength: 2048, pattern: '^[A-Za-z0-9_.-]+$' }
const memberNames = {
  kty: 'The family of its algorithm.',
  crv: 'The curve of an elliptic key.',
  x: 'The first coordinate of an elliptic key.',
  y: 'The second coordinate of an elliptic key.',
  n: 'The modulus of an RSA key.',
  e: 'The exponent of an RSA key.',
  kid: 'The name of the key, as tokens have it in their header.',
}
const key: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(Object.entries(memberNames).map(([name, description]) => [name, { ...member, description }])),
    alg: { type: 'string', enum: ['ES256', 'RS256'], description: 'The algorithm that it signs with.' },
    use: { type: 'string', const: 'sig', description: 'It verifies signatures.' },
  },
  required: ['kty', 'kid', 'alg', 'use'],
}
const keySet: EndpointDescription = {
  method: 'GET',
  path: '/.well-known/jwks.json',
  operationId: 'keySet',
  summary: 'The keys that access tokens are verified with',
  tag: 'auth',
  answers: [
    {
      status: 200,
      description: 'A JSON Web Key Set. (RFC 7517)',
      headers: ['ETag'],
      body: {
        schema: object({
          keys: { type: 'array', maxItems: 100, items: key, description: 'All that may have signed.' },
        }),
        example: { keys: [{ ...keyMembers, kid: 'A'.repeat(43), alg: 'ES256', use: 'sig' }] },
      },
    },
    { status: 304, description: 'The client has it already.', headers: ['ETag'] },
  ],
  failures: [],
}
