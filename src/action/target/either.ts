// Fails for written records that have too few or too many relations of an `either`. (contract 11.6.2)

import { Failure } from '../../failure/failure.ts'
import { eitherFieldsOf } from '../../resource/model/either.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { eitherProblems } from '../row/fit.ts'
import { type RowValues, recordFrom } from '../row/load.ts'
import type { WriteScope } from '../write-scope.ts'
import { forEachTarget } from './for-each-target.ts'
import type { PartTargets, StagedPart, TargetState } from './target-state.ts'

/** Fails with BUSINESS_RULE_VIOLATION; details name fields of what a call sent. */
export function* requireEither({ part, targets }: PartTargets<StagedPart>, scope: WriteScope): Program<void> {
  const { resource, kind } = part.action
  if (kind === 'delete' || eitherFieldsOf(resource).length === 0) return
  const records: (Readonly<RowValues> | null)[] = []
  for (const target of targets)
    records.push(kind === 'create' ? target.after : yield* changedRecord(resource, target, scope))
  const name = (field: string) => scope.vocabulary.name(resource, field)
  forEachTarget(records, (record) => {
    const details = record === null ? [] : eitherProblems(resource, record, name)
    if (details.length === 0) return
    const { message } = details[0]!
    throw new Failure('BUSINESS_RULE_VIOLATION', part.origin === undefined ? { message, details } : { message })
  })
}

/** As it is after the change; null if no such relation changes. Code may change a record without having read it. */
function* changedRecord(
  resource: ResourceModel,
  { id, before, after, changed }: TargetState,
  { statements, dialect, cipher }: WriteScope,
): Program<Readonly<RowValues> | null> {
  const columns = eitherFieldsOf(resource).flatMap(({ branches }) => branches.map(({ column }) => column))
  if (!columns.some(({ field }) => changed.has(field))) return null
  if (before !== null) return after
  const load = statements.load({ resource, conditions: [], columns, lock: 'no key update' }, noCaller, [id])
  const [row] = yield load
  return row === undefined ? null : { ...recordFrom(row, 2, { resource, columns, dialect, cipher }), ...after }
}
