// Judges records that must not overlap, last in a transaction: locks what they have in common, then looks for others. (contract
// 11.5)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { invariant } from '../../failure/failure.ts'
import { isTrue } from '../../read-plan/print.ts'
import type { ExclusionModel } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import { bind, type Program } from '../../store/store.ts'
import type { ExclusionNotes, RowScope } from '../write-scope.ts'
import { takeLock } from './advisory-lock.ts'

/** Without `exclusions`, writing what is excluded is a bug. */
type NoteScope = Pick<RowScope, 'exclusions'>

/** `changed`: the written fields; null for a new record. */
export function noteExclusions(
  resource: ResourceModel,
  id: string,
  changed: Iterable<string> | null,
  { exclusions }: NoteScope,
): void {
  for (const exclusion of resource.exclusions) {
    if (changed !== null && ![...changed].some((field) => exclusion.fields.has(field))) continue
    invariant(exclusions !== undefined, 'a write of records that must not overlap is judged')
    getOrInsert(exclusions, exclusion, () => ({ resource, ids: new Set<string>() })).ids.add(id)
  }
}

export interface Overlap {
  readonly resource: ResourceModel
  readonly exclusion: ExclusionModel
  readonly id: string
  /** It ends before it starts; otherwise it overlaps another record. */
  readonly isEmpty: boolean
}

interface JudgeScope extends Pick<RowScope, 'statements' | 'dialect'> {
  readonly exclusions: ExclusionNotes
}
/**
 * The first noted record that may not stay; null if all may. Its locks are the last ones of the transaction, so that they wait for
 * nothing that waits for them.
 */
export function* firstOverlap(scope: JudgeScope): Program<Overlap | null> {
  const { exclusions, dialect } = scope
  const notes = [...exclusions]
  exclusions.clear()
  if (dialect.engine === 'postgres') yield* lockExcluded(notes, scope)
  for (const [exclusion, { resource, ids }] of notes) {
    const prepared = scope.statements.exclusion('overlapping', resource, exclusion)
    const rows = yield boundTo(prepared, { actor: null, keys: dialect.keys([...ids]) })
    const refused = new Map(rows.map(([id, isEmpty]) => [id, isTrue(isEmpty!)]))
    const written = [...ids].filter((id) => refused.has(id))
    const id = written.find((each) => refused.get(each)) ?? written[0]
    if (id !== undefined) return { resource, exclusion, id, isEmpty: refused.get(id)! }
  }
  return null
}

function* lockExcluded(notes: readonly (readonly [ExclusionModel, Note])[], scope: JudgeScope): Program<void> {
  const { statements, dialect } = scope
  const names = new Set<string>()
  for (const [exclusion, { resource, ids }] of notes) {
    const prepared = statements.exclusion('values', resource, exclusion)
    const rows = yield boundTo(prepared, { actor: null, keys: dialect.keys([...ids]) })
    const place = `exclude ${resource.table} ${exclusion.start.name} ${exclusion.stored.map(({ name }) => name).join()}`
    for (const row of rows) names.add(`${place} ${JSON.stringify(row.map(String))}`)
  }
  for (const name of [...names].sort()) yield bind(takeLock, name)
}
type Note = ExclusionNotes extends Map<ExclusionModel, infer Of> ? Of : never
