// Describes the endpoints of authenticator apps and recovery codes for OpenAPI. (contract 5.14)

import type { DescribedAnswer } from '../../../http/message/endpoint-description.ts'
import type { JsonSchema } from '../../../resource/field/field.ts'
import { challengeText, inSession, membersOf, object, type Post, text } from '../../endpoint-descriptions.ts'

const codeText = text('A code of the authenticator app.')

const recoveryCodes: JsonSchema = {
  type: 'array',
  minItems: 10,
  maxItems: 10,
  items: { type: 'string', pattern: '^([a-z2-7]{4}-){3}[a-z2-7]{4}$', maxLength: 19, minLength: 19 },
  description: 'Each signs in once instead of the second factor. They are not shown again.',
}
const exampleCodes = Array.from({ length: 10 }, () => 'abcd-efgh-ijkl-mnop')
const secret = { type: 'string', pattern: '^[A-Z2-7]{32}$', maxLength: 32, description: 'In base32, for the app.' }
const url = { type: 'string', maxLength: 4096, description: 'The same as an `otpauth:` address for a QR code.' }

export const describeFactorEndpoints = (post: Post, tokens: DescribedAnswer, hasTotp: boolean) => [
  ...(hasTotp ? [totpEndpoint(post, tokens)] : []),
  recoveryCodesEndpoint(post),
]

const totpEndpoint = (post: Post, tokens: DescribedAnswer) => ({
  ...post('totp', 'setUpTotp', {
    summary: 'Set up an authenticator app',
    body: {
      schema: {
        oneOf: [
          object({}),
          object({ code: codeText }),
          object({ challenge: challengeText }),
          object({ challenge: challengeText, code: codeText }),
        ],
      },
      example: {},
      required: true,
    },
    answers: [
      {
        status: 200,
        description: 'The secret; with a code, recovery codes, and tokens if it completes a sign-in.',
        body: {
          schema: {
            anyOf: [object({ secret, url }), object({ recovery_codes: recoveryCodes }), withCodes(tokens.body!.schema)],
          },
          example: { secret: 'A'.repeat(32), url: `otpauth://totp/ada%40example.com?secret=${'A'.repeat(32)}` },
        },
        ...(tokens.cookie === undefined ? {} : { cookie: tokens.cookie }),
      },
    ],
  }),
  ...inSession,
  failures: [400, 401, 403, 409, 413, 415],
})

const recoveryCodesEndpoint = (post: Post) => ({
  ...post('recovery-codes', 'renewRecoveryCodes', {
    summary: 'Make new recovery codes, which end the former ones',
    body: { schema: object({}), example: {}, required: true },
    answers: [
      {
        status: 200,
        description: 'Ten codes.',
        body: { schema: object({ recovery_codes: recoveryCodes }), example: { recovery_codes: exampleCodes } },
      },
    ],
  }),
  ...inSession,
  failures: [400, 401, 403, 409, 413, 415],
})

const withCodes = (tokens: JsonSchema): JsonSchema => object({ recovery_codes: recoveryCodes, ...membersOf(tokens) })
