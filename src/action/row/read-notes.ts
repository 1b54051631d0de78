// Notes what effects read without a lock: it must be unchanged when it is written. SQLite has one writer and compares nothing.
// (contract 13.3)

import { writeValue } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isSame } from '../../resource/model/rule/condition.ts'
import type { WriteScope } from '../write-scope.ts'
import { visibleColumns } from './load.ts'
import { locksRows, lostRace } from './lock.ts'

type Values = Readonly<Record<string, unknown>>

/** Beyond this, records are locked before they are read. */
const notesMax = 10_000

/** Ignores records that can no longer change. */
export function noteRead(row: Values, scope: Pick<WriteScope, 'dialect' | 'locks' | 'readRecords'>): void {
  const { locks, readRecords } = scope
  const id = row['id'] as string
  if (!locksRows(scope) || locks.exclusive.has(id) || readRecords.size > notesMax) return
  readRecords.set(id, row)
}

/** Whether it must be locked and compared before it is written. */
export const mustCompare = (id: string, { locks, readRecords }: Pick<WriteScope, 'locks' | 'readRecords'>): boolean =>
  readRecords.has(id) || readRecords.size > notesMax || (locks.shared.has(id) && !locks.exclusive.has(id))

/** Throws LostRace if the record, now locked, has changed since code read it. */
export function requireUnchanged(
  resource: ResourceModel,
  { id, record }: { readonly id: string; readonly record: Values },
  scope: Pick<WriteScope, 'readRecords' | 'attempt' | 'locks'>,
): void {
  const { readRecords, attempt } = scope
  if (readRecords.size === 0) return
  const row = readRecords.get(id)
  if (row === undefined) {
    if (readRecords.size > notesMax && !attempt.isRepeated) throw lostRace(scope)
    return
  }
  readRecords.delete(id)
  const isAsRead = visibleColumns(resource).every((column) => isSeenAs(column, row, record, resource))
  if (!isAsRead) throw lostRace(scope)
}

function isSeenAs(column: Column, row: Values, record: Values, { hideable }: ResourceModel): boolean {
  const { field, spec } = column
  if (!(field in row)) return true
  const [seen, stored] = [row[field] ?? null, record[field] ?? null]
  // A referenced record may be hidden from the reader.
  if (seen === null && hideable.some((each) => each.column === column)) return true
  return (
    isSame(column, seen, stored) || JSON.stringify(writeValue(spec, seen)) === JSON.stringify(writeValue(spec, stored))
  )
}
