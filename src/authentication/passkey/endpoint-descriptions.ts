// Describes the endpoints of passkeys for OpenAPI. (contract 5.15)

import type { DescribedBody, EndpointDescription } from '../../http/message/endpoint-description.ts'
import { describePost, object, requestBody } from '../endpoint-descriptions.ts'
import { bytes, credentialExample, credentialSchema } from './credential-schema.ts'

export const describePasskeyEndpoints = (): readonly EndpointDescription[] => [
  ...endpointsAt('/auth', ''),
  ...endpointsAt('/api/auth', 'Api'),
]

const endpointsAt = (prefix: string, suffix: string): readonly EndpointDescription[] => [
  {
    ...describePost(prefix, 'passkeys/options', `passkeyOptions${suffix}`, {
      summary: 'Begin to sign in with a passkey, or to register one',
      body: requestBody(
        {
          for: {
            type: 'string',
            enum: ['sign-in', 'register'],
            description: 'To register requires an access token of a recent sign-in.',
          },
        },
        { for: 'sign-in' },
      ),
      answers: [{ status: 200, description: 'What the browser gets, as JSON of WebAuthn.', body: options }],
    }),
    failures: [400, 401, 403, 413, 415, 503],
  },
  {
    ...describePost(prefix, 'passkeys', `registerPasskey${suffix}`, {
      summary: 'Register a passkey',
      body: requestBody(
        {
          registration: credentialSchema('What the browser made of the options: its credential.toJSON().', [
            'clientDataJSON',
            'attestationObject',
          ]),
          name: { type: 'string', minLength: 1, maxLength: 100, description: 'How its owner recognizes it.' },
        },
        { registration: credentialExample(['clientDataJSON', 'attestationObject']), name: 'Laptop' },
      ),
      answers: [
        {
          status: 200,
          description: 'The passkey is registered; every other session has ended.',
          body: {
            schema: object({
              id: { type: 'string', minLength: 1, maxLength: 64, description: 'The id of its sign-in method.' },
            }),
            example: { id: 'sim_00000000000000000000000000' },
          },
        },
      ],
    }),
    isSignedIn: true,
    failures: [400, 401, 403, 409, 413, 415, 422],
  },
]

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
