// The key with which a running test service signs its tokens, so that tests can sign what the service never would.

import assert from 'node:assert/strict'
import { readSigningKey } from '../../../src/authentication/key/jwk.ts'
import type { SigningKey } from '../../../src/authentication/key/signing-key.ts'
import { bind, type Program, query } from '../../../src/store/store.ts'
import { forgeToken, type Part, readPart } from '../client/forged-token.ts'
import type { TestService } from './service.ts'

export interface Forge {
  readonly key: SigningKey
  /** A token of the service's own, as it came. */
  readonly valid: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** Rightly signed, its header and claims changed as it says; undefined leaves a member out. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string
  /** Rightly signed, whatever its parts are. */
  signParts(header: Part, claims: Part): string
}

/** Signs in as the editor, and finds the key of that token, unless it is a secret that the database does not have. */
export async function createForge(service: TestService, secret?: SigningKey): Promise<Forge> {
  const fixtures = service.fixtures()
  const valid = await service.token(await fixtures.idOf('editor'))
  const [header, claims] = [readPart(valid, 'header'), readPart(valid, 'claims')]
  const key = secret ?? (await keptKey(service, header['kid']))
  return {
    key,
    valid,
    header,
    claims,
    sign: (ownClaims = {}, ownHeader = {}) => forgeToken(key, { ...header, ...ownHeader }, { ...claims, ...ownClaims }),
    signParts: (ownHeader, ownClaims) => forgeToken(key, ownHeader, ownClaims),
  }
}
async function keptKey({ store }: TestService, kid: unknown): Promise<SigningKey> {
  const row = (await store.read(keys())).find(([each]) => each === kid)
  assert(row !== undefined, 'the key of a token is kept')
  return readSigningKey(JSON.parse(String(row[1])))
}
function* keys(): Program<readonly (readonly unknown[])[]> {
  return yield bind(query('select kid, jwk from duet_signing_key'))
}
