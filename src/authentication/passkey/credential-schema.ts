// Describes the credentials of browsers for OpenAPI, as far as they are read. (contract 5.15.3)

import type { JsonSchema } from '../../resource/field/field.ts'

/** A credential as browsers write it. Further members are ignored. */
export const credentialSchema = (description: string, names: readonly string[]): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties: true,
  properties: {
    id: bytes('Its id.'),
    rawId: bytes('Its id again.'),
    type: { type: 'string', const: 'public-key', description: 'The kind of credential.' },
    response: {
      type: 'object',
      description: 'What the authenticator made.',
      additionalProperties: true,
      properties: Object.fromEntries(names.map((name) => [name, bytes('In base64url.')])),
      required: names,
    },
  },
  required: ['id', 'rawId', 'type', 'response'],
})
export const assertionMembers = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']

export const credentialExample = (names: readonly string[]) => ({
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: Object.fromEntries(names.map((name) => [name, 'AAAA'])),
})

export function bytes(description: string): JsonSchema {
  return { type: 'string', minLength: 1, maxLength: 16_384, pattern: '^[A-Za-z0-9_-]+$', description }
}
