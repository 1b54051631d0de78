// Describes the endpoints of sign-in methods for OpenAPI. (contract 5.10)

import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { valueSchema } from '../../resource/field/registry.ts'
import {
  accessTokenAnswer,
  type DescriptionOptions,
  describePost,
  emailText,
  exampleAccount,
  examplePassword,
  inSession,
  loginBody,
  noMembers,
  object,
  type Post,
  pair,
  passwordText,
  requestBody,
  text,
} from '../endpoint-descriptions.ts'
import { describePasskeyEndpoints } from '../passkey/endpoint-descriptions.ts'
import { describeFactorEndpoints } from './factor/endpoint-descriptions.ts'

export interface MethodDescriptionOptions
  extends Pick<DescriptionOptions, 'password' | 'demo' | 'refreshTokenIn' | 'forms'> {
  readonly login: SpecBase
  /** Whether a field records which addresses are proved. */
  readonly hasVerification: boolean
  readonly hasMagicLink: boolean
  readonly hasIssuers: boolean
  readonly hasTotp: boolean
  readonly hasPasskeys: boolean
}

export const describeMethodEndpoints = (options: MethodDescriptionOptions): readonly EndpointDescription[] => [
  ...endpointsAt('/auth', '', options),
  ...endpointsAt('/api/auth', 'Api', { ...options, refreshTokenIn: 'body' }),
]

const exampleMethodId = 'sim_01ja2b3c4d5e6f7g8h9jakbmcn'
const accepted = (description: string) => ({ status: 202, description, body: noMembers })

function endpointsAt(
  prefix: string,
  suffix: string,
  options: MethodDescriptionOptions,
): readonly EndpointDescription[] {
  const { password: passwordSpec, demo = exampleAccount, hasVerification, hasMagicLink, hasIssuers } = options
  const newPassword = { ...valueSchema(passwordSpec, true, (part) => part), description: 'The new password.' }
  const tokens = pair(options.refreshTokenIn === 'body')
  const post = (name: string, id: string, more: Parameters<typeof describePost>[3]) =>
    describePost(prefix, name, id + suffix, more)
  return [
    {
      ...post('reauthenticate', 'reauthenticate', {
        summary: 'Prove again who you are',
        body: loginBody(demo, options.forms ?? []),
        answers: [accessTokenAnswer],
      }),
      ...inSession,
    },
    {
      ...post('change-password', 'changePassword', {
        summary: 'Change the password',
        body: requestBody({ password: newPassword }, { password: examplePassword }),
        answers: [
          { status: 200, description: 'The password is changed; every other session has ended.', body: noMembers },
        ],
      }),
      ...inSession,
    },
    ...(hasIssuers
      ? [
          {
            ...post('issuers', 'linkIssuer', {
              summary: 'Link a person of an issuer to the account',
              body: requestBody(
                {
                  ticket: text('From the address to which the browser returned. Begins with code_.'),
                  code_verifier: text('The code verifier whose SHA-256 began the flow.'),
                },
                { ticket: `code_${'A'.repeat(43)}`, code_verifier: 'A'.repeat(43) },
              ),
              answers: [
                {
                  status: 200,
                  description: 'The person signs in to the account from now on; every other session has ended.',
                  body: { schema: object({ id: text('The new sign-in method.') }), example: { id: exampleMethodId } },
                },
              ],
            }),
            ...inSession,
            failures: [400, 401, 403, 409, 413, 415],
          },
        ]
      : []),
    ...(hasVerification ? verificationEndpoints(post, options) : []),
    ...(options.hasTotp || options.hasPasskeys ? describeFactorEndpoints(post, tokens, options.hasTotp) : []),
    ...(options.hasPasskeys ? describePasskeyEndpoints(post, tokens) : []),
    ...(hasMagicLink
      ? [
          post('magic-link', 'requestMagicLink', {
            summary: 'Request a mail with a link that signs in',
            body: requestBody(
              { email: emailText, code_challenge: text('The SHA-256 of a code verifier, in base64url.') },
              { email: demo.email, code_challenge: 'A'.repeat(43) },
            ),
            answers: [accepted('If there is such an account, a mail is on its way.')],
          }),
        ]
      : []),
  ]
}

function verificationEndpoints(
  post: Post,
  { login, demo = exampleAccount, refreshTokenIn }: MethodDescriptionOptions,
): readonly EndpointDescription[] {
  const address = { ...valueSchema(login, true, (part) => part), description: 'The new address.' }
  const token = text('From the mail. Begins with vrf_.')
  const tokens = pair(refreshTokenIn === 'body')
  return [
    post('send-verification', 'sendVerification', {
      summary: 'Request a mail that confirms an address',
      body: requestBody({ email: emailText }, { email: demo.email }),
      answers: [accepted('If there is such an account without proof, a mail is on its way.')],
    }),
    {
      ...post('change-email', 'changeEmail', {
        summary: 'Request another address',
        body: requestBody({ email: address }, { email: demo.email }),
        answers: [accepted('A mail to the new address is on its way.')],
      }),
      ...inSession,
    },
    {
      ...post('verify', 'verify', {
        summary: 'Prove an address',
        body: {
          schema: {
            oneOf: [
              object({ token }),
              object({ token, password: passwordText }),
              object({ token, start_over: { const: true, description: 'Removes whatever could sign in before.' } }),
            ],
          },
          example: { token: `vrf_${'A'.repeat(43)}` },
          required: true,
        },
        answers: [
          {
            ...tokens,
            body: { schema: { anyOf: [tokens.body!.schema, object({})] }, example: {} },
            description: 'The address is proved. Tokens come with start_over only.',
          },
        ],
      }),
      failures: [400, 401, 409, 413, 415],
    },
  ]
}
