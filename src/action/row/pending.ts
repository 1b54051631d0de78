// New records whose effects run before they are stored. Records that refer to them wait until they are.

import type { ResourceModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { PendingRecords } from '../write-scope.ts'

type Values = Readonly<Record<string, unknown>>

export const addPending = ({ pending }: { readonly pending: PendingRecords }, id: string, record: Values): void =>
  void pending.set(id, { record, waiting: [] })

/** Writes now, or after the pending record that the values refer to. */
export function* writeInTurn(
  { relations }: Pick<ResourceModel, 'relations'>,
  { id, values }: { readonly id: string; readonly values: Values },
  { pending }: { readonly pending: PendingRecords },
  write: () => Program<unknown>,
): Program<void> {
  for (const { kind, field } of relations.values()) {
    const other = values[field] as string | null | undefined
    const holder = kind !== 'one' || other == null || other === id ? undefined : pending.get(other)
    if (holder === undefined) continue
    holder.waiting.push(() => writeInTurn({ relations }, { id, values }, { pending }, write))
    return
  }
  yield* write()
}

export function* settlePending(id: string, pending: PendingRecords): Program<void> {
  const stored = pending.get(id)
  if (stored === undefined) return
  pending.delete(id)
  for (const write of stored.waiting) yield* write()
}
