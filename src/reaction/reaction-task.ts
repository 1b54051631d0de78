// What an attempt at a reaction gives to its code: the record, its tokens and the event's previous values.

import type { Cipher } from '../action/encrypted-value.ts'
import { recordFrom, visibleColumns } from '../action/row/load.ts'
import { readPrevious } from '../event/outbox.ts'
import { createCleaner } from '../observation/secrets.ts'
import { readValue } from '../resource/field/registry.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { noCaller } from '../store/sql/text/sql-text.ts'
import type { WriteStatements } from '../store/sql/write/write-statements.ts'
import type { Program, Store } from '../store/store.ts'
import type { ReactionDefinition, TaskDefinition } from './definition.ts'
import type { Task } from './queue.ts'
import type { HandedTokens, TokenHandover } from './token-handover.ts'

export interface ReactionWorkDependencies {
  readonly store: Store
  readonly dialect: Dialect
  readonly statements: WriteStatements
  readonly cipher: Cipher
  readonly handover: TokenHandover | null
}

export function reactionTask(definition: ReactionDefinition, dependencies: ReactionWorkDependencies): TaskDefinition {
  const { name, timeLimitMs, attempts, resource, tokens: tokenNames } = definition
  const { store } = dependencies
  const handover = tokenNames.length === 0 ? null : dependencies.handover
  return {
    kind: 'reaction',
    name,
    timeLimitMs,
    attempts,
    resource: resource.name,
    async work({ task, hide, ...moment }) {
      const { eventId, at, attempt, recordId, by } = task
      const record = await store.read(recordOf(definition, task, dependencies))
      const tokens: HandedTokens = handover === null ? {} : await store.read(handover.handed(definition, recordId))
      if (handover !== null) hide(createCleaner(Object.values(tokens).filter((each) => each !== null)))
      const previous = previousOf(definition, task)
      await definition.react({ eventId, at, attempt, id: recordId, record, by, previous, tokens, ...moment })
    },
    *end({ recordId }) {
      if (handover !== null) yield* handover.erase(name, recordId)
    },
  }
}

/** The current record, unrestricted, or for a deletion as it was; null if it was deleted since. */
function* recordOf(
  { resource, isDeletion }: ReactionDefinition,
  { recordId, at }: Task,
  { statements, dialect, cipher }: ReactionWorkDependencies,
): Program<Readonly<Record<string, unknown>> | null> {
  const columns = visibleColumns(resource)
  const ruleInputs = isDeletion ? { ...noCaller, deletedAt: dialect.encode(at, 'timestamp') } : noCaller
  const asOf = isDeletion ? 'untilDeleted' : 'now'
  const [row] = yield statements.load({ resource, conditions: [], columns, lock: null, asOf }, ruleInputs, [recordId])
  return row === undefined ? null : recordFrom(row, 2, { resource, columns, dialect, cipher })
}

function previousOf({ changed }: ReactionDefinition, { previous }: Task): Readonly<Record<string, unknown>> {
  const values = previous === null ? {} : readPrevious(previous)
  if (values === 'unknown')
    throw new Error('Another release wrote the previous values of this event in a form of its own.')
  return Object.fromEntries(changed.map(({ field, spec }) => [field, readValue(spec, values[field]?.[0] ?? null)]))
}
