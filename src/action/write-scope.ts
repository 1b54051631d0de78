// What the steps of one transaction share, so that each of them takes this and what it is about.

import { type Asker, actorIdOf, codeHashOf } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Asking } from '../store/sql/sql-text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { EmittedEvent, OtherChange, RunnerContext } from './context.ts'

/** What one transaction has. A transaction that is run again has a new one. */
export interface WriteScope {
  readonly context: RunnerContext
  readonly statements: WriteStatements
  readonly dialect: Dialect
  readonly now: Date
  readonly actor: Asker
  /** In these words the actor is told what is wrong. */
  readonly vocabulary: Vocabulary
  readonly sideEffects: SideEffects
}
/** What effects did beside the records that the call names. */
export interface SideEffects {
  readonly changes: OtherChange[]
  readonly events: EmittedEvent[]
  /** The records that were created, changed or moved, in this order, each as often as that was. */
  readonly writes: { readonly resource: ResourceModel; readonly id: string }[]
}

/** What rules take from a write. */
export const askingOf = ({ actor, now }: Pick<WriteScope, 'actor' | 'now'>): Asking => ({
  actor: actorIdOf(actor),
  code: codeHashOf(actor),
  requestTime: now,
})

/** As much as it takes to write rows, for those that write some without a call. */
export type RowScope = Pick<WriteScope, 'statements' | 'dialect'>

/** Opens the scope of a transaction that begins. */
export const openWriteScope = (
  context: RunnerContext,
  statements: WriteStatements,
  now: Date,
  { actor, vocabulary }: Pick<WriteScope, 'actor' | 'vocabulary'>,
): WriteScope => ({
  context,
  statements,
  dialect: context.dialect,
  now,
  actor,
  vocabulary,
  sideEffects: { changes: [], events: [], writes: [] },
})
