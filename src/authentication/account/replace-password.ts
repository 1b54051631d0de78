// Replaces the password of an account for a mailed token, and ends what could act for the account before.

import type { AccountsModel } from '../../resource/model/model.ts'
import type { Program, Store } from '../../store/store.ts'
import type { Revocation } from '../revocation.ts'
import type { Notice } from '../token/denial-store.ts'
import type { AccountStore } from './account-store.ts'
import type { ChangeAccount } from './change-account.ts'
import type { SecurityEvent, SecurityEvents } from './security-events.ts'

/** `useToken` runs first in the transaction, and fails if the token does not work any more. */
export type ReplacePassword = (
  account: { readonly id: string; readonly isVerified: boolean },
  passwordHash: string,
  event: SecurityEvent,
  useToken: (now: Date) => Program<void>,
) => Promise<void>

export interface ReplacePasswordDependencies {
  readonly store: Store
  readonly model: { readonly accounts: AccountsModel }
  readonly accounts: AccountStore
  readonly events: SecurityEvents
  readonly revocation: Pick<Revocation, 'revokeUsers' | 'endKeys'>
  /** Deletes all sign-in methods of the account. */
  readonly removeMethods: (userId: string, now: Date) => Program<void>
  readonly apply: (notice: Notice, now: Date) => void
  readonly clock: () => Date
  readonly changeAccount: Promise<ChangeAccount>
}

export function createReplacePassword(dependencies: ReplacePasswordDependencies): ReplacePassword {
  const { store, model, accounts, events, revocation, apply, clock } = dependencies
  const { methods, verified } = model.accounts
  return async ({ id, isVerified }, passwordHash, event, useToken) => {
    const proves = methods !== null && verified !== null && !isVerified
    let notices: readonly Notice[] = []
    const replace = function* (now: Date): Program<void> {
      yield* useToken(now)
      yield* accounts.changePassword(id, passwordHash, now)
      notices = yield* revocation.revokeUsers([id], now)
      // Another person may have added them, as the address was not proved. (contract 5.11.4, 5.13.9)
      if (proves) {
        yield* dependencies.removeMethods(id, now)
        notices = [...notices, ...(yield* revocation.endKeys(id, now))]
      }
      yield* events.record(event, now)
    }
    if (proves) await (await dependencies.changeAccount)(id, { [verified.field]: true }, replace)
    else await store.write(() => replace(clock()))
    for (const notice of notices) apply(notice, clock())
    events.log(event)
  }
}
