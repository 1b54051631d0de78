// A mailed token alone proves an address that was not proved: whatever could sign in before is removed. (contract 5.11.4)

import { Failure } from '../../failure/failure.ts'
import type { Account } from '../account/account-store.ts'
import type { Origin } from '../account/security-events.ts'
import type { Parts } from '../parts.ts'
import type { AddressTokenStore } from './address-token-store.ts'

/** Uses the token; returns the account with a proved address and no password. Fails with INVALID_TOKEN. */
export type StartOver = (account: Account, tokenHash: string, origin: Origin) => Promise<Account>

type Used = 'store' | 'accounts' | 'passwords' | 'replacePassword'

export function createStartOver(
  { store, accounts, passwords, replacePassword }: Pick<Parts, Used>,
  tokens: AddressTokenStore,
): StartOver {
  return async (account, tokenHash, origin) => {
    const event = { type: 'account_reset', userId: account.id, origin, details: {} } as const
    await replacePassword(account, passwords.unusableHash, event, function* () {
      // Another login or state has ended the token meanwhile.
      if (!(yield* tokens.use(tokenHash))) throw new Failure('INVALID_TOKEN')
    })
    const renewed = await store.read(accounts.byId(account.id))
    if (renewed === null || !renewed.isActive) throw new Failure('INVALID_TOKEN')
    return renewed
  }
}
