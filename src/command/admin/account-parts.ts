// The parts of authentication with which a command changes accounts. (contract 3.4.2)

import { type Account, type AccountStore, createAccountStore } from '../../authentication/account/account-store.ts'
import { createSecurityEvents } from '../../authentication/account/security-events.ts'
import { createApiKeyStore } from '../../authentication/api-key/api-key-store.ts'
import { createMailStore } from '../../authentication/mail/mail-store.ts'
import { createAddressTokenStore } from '../../authentication/method/address-token-store.ts'
import { createChallengeStore } from '../../authentication/method/login/challenge-store.ts'
import { createRevocation } from '../../authentication/revocation.ts'
import { createPasswordResetStore } from '../../authentication/session/password-reset-store.ts'
import { SessionStore } from '../../authentication/session/session-store.ts'
import { createDenialStore } from '../../authentication/token/denial-store.ts'
import type { Limits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import type { Model } from '../../resource/model/model.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import { CommandError } from '../service/command.ts'

export interface AccountDependencies {
  readonly model: Model
  readonly store: Store
  readonly limits: Limits
  readonly now: Date
}

/** What reads and changes accounts without a running service. */
export function createAccountParts({ model, store, limits }: AccountDependencies) {
  const dialect = dialectOf(store.engine)
  const accounts = createAccountStore(model.accounts, dialect)
  const events = createSecurityEvents(model.byName.get('SecurityEvent')!, dialect, silentLog)
  const resets = createPasswordResetStore(accounts, limits, dialect)
  // Running instances read the denials from the database.
  const revocation = createRevocation({
    model,
    accounts,
    sessions: new SessionStore({ resource: model.byName.get('Session')!, accounts, events, limits, dialect }),
    resets,
    apiKeys: createApiKeyStore(model, dialect),
    addressTokens: model.accounts.methods === null ? null : createAddressTokenStore(dialect),
    flows: model.accounts.methods?.isStored ? [createChallengeStore(dialect)] : [],
    denials: createDenialStore(dialect),
    apply: () => {},
    lifetimeSeconds: limits.accessTokenSeconds,
    limits,
  })
  return { dialect, accounts, events, resets, revocation, mails: createMailStore(dialect, limits) }
}

/** Fails with CommandError. */
export async function findAccount(login: string, accounts: AccountStore, store: Store): Promise<Account | null> {
  try {
    return await store.read(accounts.byLogin(login))
  } catch (cause) {
    // Databases report a missing table differently.
    throw new CommandError(
      'The database has no accounts of this service: start the service first, or correct DATABASE_URL.',
      { cause },
    )
  }
}
