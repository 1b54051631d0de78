// Resources of the library that a service can include: API keys, sessions, sign-in methods and security events. (contract 3.6,
// 5.3, 5.8, 5.13)

import { choice } from '../resource/field/choice.ts'
import { optional } from '../resource/field/field.ts'
import { json, list } from '../resource/field/json.ts'
import { integer } from '../resource/field/number.ts'
import { actor, toAccount } from '../resource/field/relation.ts'
import { token } from '../resource/field/secret.ts'
import { scope, text } from '../resource/field/text.ts'
import { timestamp } from '../resource/field/timestamp.ts'
import { resource } from '../resource/language/resource.ts'
import { is } from '../resource/language/rule/filter.ts'
import { allOf, fresh, may, own, signedIn } from '../resource/language/rule/rule.ts'

/** A credential for programs, limited to scopes of its owner. The key is shown once. (contract 5.3) */
export const ApiKey = resource('ApiKey', {
  prefix: 'key',
  batch: false,

  fields: {
    user: toAccount({ default: actor }),
    name: text({ max: 100 }),
    scopes: list(scope(), { min: 1, max: 50 }),
    key: token({ prefix: 'duet_' }),
    prefix: text({ max: 12 }),
    expiresAt: optional(timestamp()),
    requestsPerHour: optional(integer({ min: 1, about: 'The limit of the key, besides that of its owner.' })),
    lastUsedAt: optional(timestamp()),
  },

  actions: {
    read: { allow: own('user') },
    delete: { allow: own('user') },
    create: {
      allow: signedIn,
      accept: ['name', 'scopes', 'expiresAt', 'requestsPerHour'],
      check: ({ input, now }) =>
        input.expiresAt === null || input.expiresAt > now || 'An API key cannot expire in the past.',
      set: { prefix: ({ tokens }) => tokens.key.slice(0, 12) },
    },
  },
})

/** A family of refresh tokens, created by signing in; deleting it signs that device out. (contract 3.6) */
export const Session = resource('Session', {
  prefix: 'ses',
  batch: false,

  fields: {
    user: toAccount(),
    lastUsedAt: timestamp(),
    userAgent: text({ min: 0, max: 500 }),
    ip: text({ max: 45 }),
  },

  actions: {
    read: { allow: own('user') },
    delete: { allow: own('user') },
  },
})

/** A passkey, an authenticator app or the account at an issuer, by which its owner signs in. (contract 5.13.5) */
export const SignInMethod = resource('SignInMethod', {
  prefix: 'sim',
  batch: false,

  fields: {
    user: toAccount(),
    kind: choice(['totp', 'passkey', 'issuer']),
    name: text({ max: 100 }),
    lastUsedAt: optional(timestamp()),
  },

  actions: {
    read: { allow: own('user') },
    delete: { allow: allOf(own('user'), fresh({ minutes: 5 })) },
  },
})

/** The audit log, such as of reused refresh tokens. Written by the service, read by admins. (contract 5.8) */
export const SecurityEvent = resource('SecurityEvent', {
  prefix: 'sev',
  batch: false,

  fields: {
    type: text({ max: 50 }),
    user: optional(toAccount()),
    ip: text({ max: 45 }),
    requestId: text({ max: 128 }),
    details: json({ maxBytes: 4_096 }),
  },

  filter: { type: is, user: is },

  actions: {
    read: { allow: may('read') },
  },
})
