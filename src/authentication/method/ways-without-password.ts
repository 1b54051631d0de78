// How accounts without a password sign in, for the mail that would otherwise contain a reset token. (contract 5.13.11)

import type { AccountsModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { Account } from '../account/account-store.ts'
import type { MethodStores } from './method-stores.ts'

/** Null if the service requires passwords. */
export function createWaysWithoutPassword(
  { password, methods }: AccountsModel,
  stores: MethodStores | null,
): ((account: Account) => Program<readonly string[]>) | null {
  if (!password.spec.optional || methods === null) return null
  return function* ({ id }) {
    const records = stores?.stored == null ? [] : yield* stores.stored.records.list(id)
    const own = records.filter(({ kind }) => kind !== 'totp').map(({ kind, name }) => wordOf[kind](name))
    return [...(methods.magicLink ? ['a link that is mailed to you'] : []), ...own]
  }
}
const wordOf = {
  passkey: (name: string) => `the passkey "${name}"`,
  issuer: (name: string) => `your account at ${name}`,
  totp: (name: string) => name,
}
