// Describes the endpoints of passkeys for OpenAPI. (contract 5.15)

import type { DescribedAnswer, DescribedBody, EndpointDescription } from '../../http/message/endpoint-description.ts'
import { challengeText, inSession, membersOf, object, type Post } from '../endpoint-descriptions.ts'
import { bytes, credentialExample, credentialSchema } from './credential-schema.ts'

export const describePasskeyEndpoints = (post: Post, tokens: DescribedAnswer): readonly EndpointDescription[] => [
  {
    ...post('passkeys/options', 'passkeyOptions', {
      summary: 'Begin to sign in with a passkey, or to register one',
      body: {
        schema: {
          oneOf: [object({ for: purpose('sign-in') }), object({ for: register }), object({ for: register, challenge })],
        },
        example: { for: 'sign-in' },
        required: true,
      },
      answers: [{ status: 200, description: 'What the browser gets, as JSON of WebAuthn.', body: options }],
    }),
    failures: [400, 401, 403, 413, 415, 503],
  },
  {
    ...post('passkeys', 'registerPasskey', {
      summary: 'Register a passkey',
      body: {
        schema: { oneOf: [object({ registration, name }), object({ registration, name, challenge })] },
        example: { registration: credentialExample(['clientDataJSON', 'attestationObject']), name: 'Laptop' },
        required: true,
      },
      answers: [
        {
          status: 200,
          description: 'Every other session has ended. Tokens come if it completes a sign-in.',
          body: {
            schema: { anyOf: [object({ id }), object({ id, ...membersOf(tokens.body!.schema) })] },
            example: { id: 'sim_00000000000000000000000000' },
          },
          ...(tokens.cookie === undefined ? {} : { cookie: tokens.cookie }),
        },
      ],
    }),
    ...inSession,
    failures: [400, 401, 403, 409, 413, 415, 422],
  },
]

const purpose = (text: string, description = 'Names no account.') => ({ type: 'string', const: text, description })
const register = purpose('register', 'Requires an access token of a recent sign-in, or a challenge with setup.')
const challenge = challengeText
const registration = credentialSchema('What the browser made of the options: its credential.toJSON().', [
  'clientDataJSON',
  'attestationObject',
])
const name = { type: 'string', minLength: 1, maxLength: 100, description: 'How its owner recognizes it.' }
const id = { type: 'string', minLength: 1, maxLength: 64, description: 'The id of its sign-in method.' }

const options: DescribedBody = {
  schema: {
    type: 'object',
    additionalProperties: true,
    properties: { challenge: { ...bytes('Random; the answer to it works once, for five minutes.'), maxLength: 43 } },
    required: ['challenge'],
  },
  example: {
    challenge: 'A'.repeat(43),
    rpId: 'example.com',
    allowCredentials: [],
    userVerification: 'required',
    timeout: 300_000,
  },
}
