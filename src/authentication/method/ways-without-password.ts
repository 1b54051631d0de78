// How accounts without a password sign in, for the mail that would otherwise contain a reset token. (contract 5.13.11)

import type { AccountsModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { Account } from '../account/account-store.ts'
import type { Texts } from '../text/texts.ts'
import type { MethodStores } from './method-stores.ts'

/** Null if the service requires passwords. */
export function createWaysWithoutPassword(
  { password, methods }: AccountsModel,
  stores: MethodStores | null,
  { text }: Texts,
): ((account: Account) => Program<readonly string[]>) | null {
  if (!password.spec.optional || methods === null) return null
  return function* ({ id }) {
    const records = stores?.stored == null ? [] : yield* stores.stored.records.list(id)
    const own = records
      .filter(({ kind }) => kind !== 'totp')
      .map(({ kind, name }) => text(`way_${kind as 'passkey' | 'issuer'}`, { name }))
    return [...(methods.magicLink ? [text('way_link')] : []), ...own]
  }
}
