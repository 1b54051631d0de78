// Describes the endpoints of sign-in methods for OpenAPI. (contract 5.10)

import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import { valueSchema } from '../../resource/field/registry.ts'
import type { MethodsModel } from '../../resource/model/model.ts'
import {
  accessTokenAnswer,
  type DescriptionOptions,
  describePost,
  emailText,
  exampleAccount,
  examplePassword,
  inSession,
  loginBody,
  newPassword,
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

/** None for a service without sign-in methods. */
export const describeMethodEndpoints = (options: DescriptionOptions): readonly EndpointDescription[] => {
  const { methods } = options.accounts
  if (methods === null) return []
  return [
    ...endpointsAt('/auth', '', methods, options),
    ...endpointsAt('/api/auth', 'Api', methods, { ...options, refreshTokenIn: 'body' }),
  ]
}

const exampleMethodId = 'sim_01ja2b3c4d5e6f7g8h9jakbmcn'
const accepted = (description: string) => ({ status: 202, description, body: noMembers })

function endpointsAt(
  prefix: string,
  suffix: string,
  { magicLink, issuers, totp, passkeys }: MethodsModel,
  options: DescriptionOptions,
): readonly EndpointDescription[] {
  const { accounts, demo = exampleAccount } = options
  const tokens = pair(options.refreshTokenIn === 'body')
  const post = (name: string, id: string, more: Parameters<typeof describePost>[3]) =>
    describePost(prefix, name, id + suffix, more)
  return [
    {
      ...post('reauthenticate', 'reauthenticate', {
        summary: 'Prove again who you are',
        body: loginBody(demo, options.forms),
        answers: [accessTokenAnswer],
      }),
      ...inSession,
    },
    {
      ...post('change-password', 'changePassword', {
        summary: 'Change the password',
        body: requestBody({ password: newPassword(accounts) }, { password: examplePassword }),
        answers: [
          { status: 200, description: 'The password is changed; every other session has ended.', body: noMembers },
        ],
      }),
      ...inSession,
    },
    ...(Object.keys(issuers).length > 0
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
    ...(accounts.verified === null ? [] : verificationEndpoints(post, options)),
    ...(totp || passkeys ? describeFactorEndpoints(post, tokens, totp) : []),
    ...(passkeys ? describePasskeyEndpoints(post, tokens) : []),
    ...(magicLink
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
  { accounts, demo = exampleAccount, refreshTokenIn }: DescriptionOptions,
): readonly EndpointDescription[] {
  const address = { ...valueSchema(accounts.login.spec, true, (part) => part), description: 'The new address.' }
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
