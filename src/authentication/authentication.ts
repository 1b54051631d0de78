// Puts authentication together: keys, tokens, sessions, denials, and the endpoints over them. (contract 5)

import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { makeId } from '../resource/id.ts'
import type { Model } from '../resource/model.ts'
import { dialectOf, quote } from '../store/sql/dialect.ts'
import { bind, command, type Program, type Store } from '../store/store.ts'
import { createAccessTokens } from './access-token.ts'
import { createDenialStore, denialTable } from './denial-store.ts'
import { createDenylist } from './denylist.ts'
import { type AuthEndpoints, createAuthEndpoints } from './endpoints.ts'
import { createIdentify, type Identify } from './identify.ts'
import { secretTable } from './installation-secret.ts'
import type { KeyRing } from './key-ring.ts'
import { keyTable } from './key-storage.ts'
import { createOpaqueToken } from './opaque-token.ts'
import { createPasswords } from './password.ts'
import { createRevocation, type Revocation } from './revocation.ts'
import { createSessionStore, sessionTables } from './session-store.ts'
import type { SecurityNote } from './sign-in.ts'
import type { ReadJson } from './signed-text.ts'

/** The tables that authentication needs besides those of its resources. */
export const authenticationTables = [keyTable, sessionTables, denialTable, secretTable]

export interface AuthenticationOptions {
  readonly model: Model
  readonly store: Store
  readonly keys: KeyRing
  readonly issuer: string
  readonly audience: string
  readonly limits: Limits
  readonly readJson: ReadJson
  readonly clock: () => Date
  readonly log: Log
}
export interface Authentication extends Revocation {
  readonly identify: Identify
  readonly endpoints: AuthEndpoints
  readonly hashPassword: (password: string) => Promise<string>
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  /** Learns what other instances denied and which keys they made. Call it every second or so. */
  refresh(now: Date): Promise<void>
}

export async function openAuthentication(options: AuthenticationOptions): Promise<Authentication> {
  const { model, store, keys, issuer, audience, limits, readJson, clock, log } = options
  const dialect = dialectOf(store.engine)
  const denylist = createDenylist(limits.denials, log)
  const denials = createDenialStore(dialect)
  const now = clock()
  for (const denial of await store.read(denials.load(new Date(0), now))) denylist.deny(denial, now)

  const accessTokens = createAccessTokens({ keys, issuer, audience, denylist, readJson, limits })
  const passwords = await createPasswords(limits, log)
  const sessions = createSessionStore(model.accounts, model.byName.get('Session')!, limits, dialect)
  const record = createRecorder(model, store, clock, log)
  const context = { store, sessions, accessTokens, passwords, record, keys, limits }
  // Denials of other instances are asked for from a little before the last time, as their clocks and commits differ.
  let since = now
  return {
    ...createRevocation(model, sessions, denials, denylist, limits),
    identify: createIdentify(model, accessTokens, async () => {
      throw new Failure('INVALID_CREDENTIALS')
    }),
    endpoints: createAuthEndpoints(context),
    hashPassword: passwords.hash,
    makeToken(prefix) {
      const { text, hash } = createOpaqueToken(prefix as Parameters<typeof createOpaqueToken>[0])
      return { token: text, hash }
    },
    async refresh(at) {
      for (const denial of await store.read(denials.load(new Date(since.getTime() - overlapMs), at)))
        denylist.deny(denial, at)
      since = at
      await keys.reload(at)
    },
  }
}
const overlapMs = 10_000

/** Writes what an auditor wants to know, without keeping anybody waiting. */
function createRecorder(model: Model, store: Store, clock: () => Date, log: Log) {
  const resource = model.byName.get('SecurityEvent')!
  const dialect = dialectOf(store.engine)
  const names = ['id', 'type', 'user_id', 'ip', 'request_id', 'details', 'created_at', 'updated_at']
  const values = names.map((_, index) => dialect.parameter(index + 1))
  const insert = command(
    `insert into ${quote(resource.table)} (${names.map(quote).join(', ')}) values (${values.join(', ')})`,
  )
  return ({ type, userId, details }: SecurityNote): void => {
    const at = dialect.encode(clock(), 'timestamp')
    function* write(): Program<void> {
      yield bind(insert, makeId(resource.prefix, clock()), type, userId, '', '', JSON.stringify(details), at, at)
    }
    store.write(write).catch((error: unknown) => log.error('A security event could not be written.', { err: error }))
  }
}
