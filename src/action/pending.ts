// New records whose effects run before they are stored: what an effect makes for its own record waits until that is there.

import type { ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'

type Values = Readonly<Record<string, unknown>>
/** By id. */
export type PendingRecords = Map<string, PendingRecord>
export interface PendingRecord {
  /** As far as it is decided. */
  readonly record: Values
  /** What is written as soon as it is stored, in this order. */
  readonly waiting: (() => Program<void>)[]
}

/** Notes that a record is going to be stored after its effects. */
export const addPending = ({ pending }: { readonly pending: PendingRecords }, id: string, record: Values): void =>
  void pending.set(id, { record, waiting: [] })

/** Writes the values of this record now, or once the pending record is stored that they refer to. */
export function* writeInTurn(
  { relations }: Pick<ResourceModel, 'relations'>,
  { id, values }: { readonly id: string; readonly values: Values },
  { pending }: { readonly pending: PendingRecords },
  write: () => Program<void>,
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

/** Writes what has waited for this record, which is stored now. */
export function* settlePending(id: string, pending: PendingRecords): Program<void> {
  const stored = pending.get(id)
  if (stored === undefined) return
  pending.delete(id)
  for (const write of stored.waiting) yield* write()
}
