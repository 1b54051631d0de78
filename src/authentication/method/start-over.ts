// A mailed token alone proves an address that was not proved: whatever could sign in before is removed. (contract 5.11.4)

import { Failure } from '../../failure/failure.ts'
import type { AccountsModel } from '../../resource/model/model.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { ChangeAccount } from '../account/change-account.ts'
import type { Origin, SecurityEvent, SecurityEvents } from '../account/security-events.ts'
import type { Revocation } from '../revocation.ts'
import type { Notice } from '../token/denial-store.ts'
import type { AddressTokenStore } from './address-token-store.ts'

/** Uses the token, and leaves the account with a proved address and no password. Fails with INVALID_TOKEN. */
export type StartOver = (account: Account, tokenHash: string, origin: Origin) => Promise<void>

export interface StartOverDependencies {
  readonly model: { readonly accounts: AccountsModel }
  readonly accounts: AccountStore
  readonly tokens: AddressTokenStore
  readonly events: SecurityEvents
  readonly unusableHash: string
  readonly revokeUsers: Revocation['revokeUsers']
  readonly endApiKeys: Revocation['endApiKeys']
  readonly apply: (notice: Notice, now: Date) => void
  readonly clock: () => Date
  readonly changeAccount: Promise<ChangeAccount>
}

export function createStartOver(dependencies: StartOverDependencies): StartOver {
  const { model, accounts, tokens, events, unusableHash } = dependencies
  return async ({ id }, tokenHash, origin) => {
    const event: SecurityEvent = { type: 'account_reset', userId: id, origin, details: {} }
    let notices: readonly Notice[] = []
    const change = await dependencies.changeAccount
    await change(id, { [model.accounts.verified!.field]: true }, function* (now) {
      // Another login or state has ended the token meanwhile.
      if (!(yield* tokens.use(tokenHash))) throw new Failure('INVALID_TOKEN')
      yield* accounts.changePassword(id, unusableHash, now)
      const revoked = yield* dependencies.revokeUsers([id], now)
      notices = [...revoked, ...(yield* dependencies.endApiKeys(id, now))]
      yield* events.record(event, now)
    })
    for (const notice of notices) dependencies.apply(notice, dependencies.clock())
    events.log(event)
  }
}
