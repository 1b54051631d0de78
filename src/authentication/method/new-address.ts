// Stores a mail that asks for proof, for each account that gets an address that is not proved. (contract 5.11.1)

import type { AccountsModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { MailStore } from '../mail/mail-store.ts'
import type { AccountChange } from '../revocation.ts'

/** Runs in the transaction of the change. */
export type NoteNewAddresses = (change: AccountChange, now: Date) => Program<boolean>

export function createNoteNewAddresses(
  { resource, login, verified }: AccountsModel,
  mails: MailStore,
): NoteNewAddresses {
  const addressesIn = ({ action, records, others }: AccountChange) => {
    const own = action?.resource === resource && action.kind !== 'delete' ? records : []
    const written = own.filter(
      ({ before, after }) => after[verified!.field] !== true && before?.[login.field] !== after[login.field],
    )
    const byCode = others.filter(
      (each) =>
        each.resource === resource && each.change?.[login.field] !== undefined && each.change[verified!.field] !== true,
    )
    return [
      ...written.map(({ id, after }) => ({ id, address: after[login.field] })),
      ...byCode.map(({ id, change }) => ({ id, address: change![login.field] })),
    ]
  }
  return function* (change, now) {
    const found = addressesIn(change)
    for (const { id, address } of found) {
      yield* mails.add({ kind: 'verify', address: String(address).toLowerCase(), userId: id }, now)
    }
    return found.length > 0
  }
}
