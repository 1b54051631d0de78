// A mailed token alone proves an address that was not proved: whatever could sign in before is removed. (contract 5.11.4)

import { Failure } from '../../failure/failure.ts'
import type { Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { ReplacePassword } from '../account/replace-password.ts'
import type { Origin } from '../account/security-events.ts'
import type { AddressTokenStore } from './address-token-store.ts'

/** Uses the token; returns the account with a proved address and no password. Fails with INVALID_TOKEN. */
export type StartOver = (account: Account, tokenHash: string, origin: Origin) => Promise<Account>

export interface StartOverDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly tokens: AddressTokenStore
  readonly unusableHash: string
  readonly replacePassword: ReplacePassword
}

export function createStartOver(dependencies: StartOverDependencies): StartOver {
  const { store, accounts, tokens, unusableHash, replacePassword } = dependencies
  return async (account, tokenHash, origin) => {
    const event = { type: 'account_reset', userId: account.id, origin, details: {} } as const
    await replacePassword(account, unusableHash, event, function* () {
      // Another login or state has ended the token meanwhile.
      if (!(yield* tokens.use(tokenHash))) throw new Failure('INVALID_TOKEN')
    })
    const renewed = await store.read(accounts.byId(account.id))
    if (renewed === null || !renewed.isActive) throw new Failure('INVALID_TOKEN')
    return renewed
  }
}
