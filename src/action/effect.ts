// Other records, inside the transaction of an effect: what `records` in a definition can do.

import { type Detail, invariant } from '../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../resource/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { boundTo } from '../store/sql/text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program, Run } from '../store/store.ts'
import type { WriteCall } from './call.ts'
import type { EmittedEvent, OtherChange, RunnerContext } from './context.ts'
import { loadReadable, type RowValues, recordFrom, visibleColumns } from './load.ts'
import { callerOf, changesOf, emittedBy, requireRule, requireState } from './move.ts'
import { requireRange } from './range.ts'
import { insertRecord, newRecord } from './record.ts'
import { missingReference } from './reference.ts'

/** Who asked, in which words. */
type Asked = Pick<WriteCall, 'actor' | 'vocabulary'> & {
  /** The record whose effect it is, with its input; absent where there is none. */
  readonly from?: { readonly resource: ResourceModel; readonly values: Readonly<RowValues>; readonly target: number }
}
type Named = { readonly name: string }

/** What effects did beside the records that were asked for. */
export interface Noted {
  readonly others: OtherChange[]
  readonly events: EmittedEvent[]
  /** The records that were created, changed or moved, in this order, each as often as that was. */
  readonly written: { readonly resource: ResourceModel; readonly id: string }[]
}

/** The `records` of one effect. Works only until its transaction ends. What it does is noted. */
export function recordsOf(
  context: RunnerContext,
  statements: WriteStatements,
  asked: Asked,
  now: Date,
  run: Run,
  { others, events, written }: Noted,
) {
  const { model, dialect } = context
  const resourceOf = ({ name }: Named): ResourceModel => {
    const resource = model.byName.get(name)
    invariant(resource !== undefined, `the effect names ${name}, which is in this service`)
    return resource
  }
  return {
    lock: async (named: Named, ids: readonly string[]) => {
      const unique = [...new Set(ids)].sort()
      const loaded = await run(loadReadable(resourceOf(named), unique, [], asked.actor, 'update', statements, dialect))
      const missing = unique.filter((_, index) => loaded[index] === null)
      if (missing.length > 0) throw missingReference(namesOf(missing, resourceOf(named), asked))
      return loaded.map((each) => each!.record)
    },
    lockLiving: async (named: Named, ids: readonly string[]) => {
      const unique = [...new Set(ids)].sort()
      const loaded = await run(lockLiving(resourceOf(named), unique, statements, dialect))
      return loaded.map((each) => each.record)
    },
    change: async (named: Named, id: string, change: RowValues) => {
      const resource = resourceOf(named)
      requireRange(resource, change)
      await run(changeRecord(resource, id, change, now, context, statements))
      others.push({ resource, id, change })
      written.push({ resource, id })
    },
    create: async (named: Named, values: RowValues) => {
      const resource = resourceOf(named)
      requireRange(resource, values)
      const record = newRecord(resource, context.newId(resource, now), values, now)
      await run(insertRecord(resource, record, new Map(), statements, dialect))
      written.push({ resource, id: record['id'] as string })
      return record
    },
    run: async (named: Named, id: string, move: string) => {
      const action = resourceOf(named).actions.get(move)
      invariant(action?.kind === 'move', `${named.name} has the move ${move}`)
      const { before, change } = await run(runMove(action, id, asked, now, context, statements))
      others.push({ resource: action.resource, id, change })
      written.push({ resource: action.resource, id })
      events.push(...emittedBy(action, id, { ...before, ...change }))
    },
  }
}

/** The fields by which the effect's own record names these; nothing where it found them in another way. */
function namesOf(missing: readonly string[], target: ResourceModel, { from, vocabulary }: Asked): Detail[] | undefined {
  if (from === undefined) return undefined
  const fields = [...from.resource.relations.values()].filter(
    (each) => each.kind === 'one' && each.target === target && missing.includes(from.values[each.field] as string),
  )
  if (fields.length === 0) return undefined
  return fields.map(({ field }) => ({
    field: vocabulary.name(from.resource, field),
    message: 'There is no such record.',
    target: from.target,
  }))
}

/** The same of one resource, which need not be named. */
export const sameRecordsOf = (resource: ResourceModel, records: ReturnType<typeof recordsOf>) => ({
  lock: (ids: readonly string[]) => records.lock(resource, ids),
  lockLiving: (ids: readonly string[]) => records.lockLiving(resource, ids),
  change: (id: string, change: RowValues) => records.change(resource, id, change),
  create: (values: RowValues) => records.create(resource, values),
  run: (id: string, move: string) => records.run(resource, id, move),
})

/** Writes these fields of one living record and raises its version. */
export function* changeRecord(
  resource: ResourceModel,
  id: string,
  change: Readonly<RowValues>,
  now: Date,
  { dialect }: RunnerContext,
  statements: WriteStatements,
): Program<void> {
  const columns = Object.keys(change).map((field) => resource.column.get(field)!)
  const input = columns.map((column) => dialect.encode(change[column.field], column.type))
  yield boundTo(statements.change(resource, columns), { actor: null, id, input, now: dialect.encode(now, 'timestamp') })
}

/** A move without its `allow`: somebody else's effect decided that it may be made. */
function* runMove(
  action: ActionModel,
  id: string,
  { actor, vocabulary }: Asked,
  now: Date,
  context: RunnerContext,
  statements: WriteStatements,
): Program<{ readonly before: Readonly<RowValues>; readonly change: Readonly<RowValues> }> {
  invariant(
    action.effect === null,
    `${action.resource.name}.${action.name} is run by an effect and has none of its own`,
  )
  const [loaded] = yield* lockLiving(action.resource, [id], statements, context.dialect)
  if (loaded === undefined) throw missingReference()
  requireState(action, loaded.record, vocabulary)
  const moment = { actor: callerOf(actor), now, input: {}, record: loaded.record, tokens: {} }
  requireRule(action, moment)
  const change = changesOf(action, moment)
  requireRange(action.resource, change)
  yield* changeRecord(action.resource, id, change, now, context, statements)
  return { before: loaded.record, change }
}

/** The living ones among these, whoever may read them, locked in the order of the ids. */
export function* lockLiving(
  resource: ResourceModel,
  ids: readonly string[],
  statements: WriteStatements,
  dialect: Dialect,
): Program<readonly { readonly id: string; readonly record: Readonly<RowValues> }[]> {
  const columns = visibleColumns(resource)
  const rows = yield statements.load({ resource, conditions: [], columns, lock: 'update' }, null, ids)
  const byId = new Map(rows.map((row) => [row[0] as string, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ id, record: recordFrom(row, 2, columns, dialect) }]
  })
}
