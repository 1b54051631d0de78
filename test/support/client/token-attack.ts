// A service's access tokens under attack: one valid token, its parts, and what each forgery must meet.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixedKeyRing } from '../../../src/authentication/key/key-ring.ts'
import { generateSigningKey, type SigningKey } from '../../../src/authentication/key/signing-key.ts'
import { type AccessTokens, createAccessTokens } from '../../../src/authentication/token/access-token.ts'
import { createDenylist } from '../../../src/authentication/token/denylist.ts'
import { Failure } from '../../../src/failure/failure.ts'
import { readJson } from '../../../src/json/read-json.ts'
import { defaultLimits } from '../../../src/limits.ts'
import { forgeToken, readPart } from './forged-token.ts'

export const now = new Date('2026-11-20T09:00:00Z')
const issuer = 'https://api.example.com'
export const grant = { subject: 'usr_1', role: 'VIEWER', sessionId: 'ses_1', epoch: 1 }

/** The service's key, and one of an attacker. */
export const [ours, theirs] = await Promise.all([generateSigningKey('ES256'), generateSigningKey('ES256')])

export const createTokens = (...keys: readonly SigningKey[]): AccessTokens =>
  createAccessTokens({
    keys: fixedKeyRing(keys),
    issuer,
    audience: issuer,
    denylist: createDenylist(10, { error: assert.fail }),
    readJson: (bytes) => readJson(bytes, defaultLimits),
    limits: defaultLimits,
  })

export const tokens = createTokens(ours)
export const valid = tokens.issue(grant, now).text
export const header = readPart(valid, 'header')
export const claims = readPart(valid, 'claims')
export const [headerText = '', claimsText = '', signatureText = ''] = valid.split('.')

/** The valid claims, rightly signed, under a changed header. */
export const withHeader = (members: Readonly<Record<string, unknown>>): string =>
  forgeToken(ours, { ...header, ...members }, claims)

export function refuses(text: string, verifier: AccessTokens = tokens): void {
  const isRefused = (error: unknown) => error instanceof Failure && error.code === 'INVALID_TOKEN'
  assert.throws(() => verifier.verify(text, now), isRefused, text)
}

/** A text that is no valid token: `it` says in which way it differs from one. */
export interface Forgery {
  readonly it: string
  readonly text: string
}
export function refused(forgeries: readonly Forgery[]): void {
  for (const forgery of forgeries) it(forgery.it, () => refuses(forgery.text))
}
