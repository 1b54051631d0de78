// What the steps of one transaction share, so that each of them takes this and what it is about.

import { type Asker, shownBy } from '../resource/actor.ts'
import type { CounterModel, ResourceModel } from '../resource/model/model.ts'
import type { LimitedToken } from '../resource/model/token-use.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Asking } from '../store/sql/sql-text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { EmittedEvent, OtherChange, RunnerContext } from './context.ts'
import type { Cipher } from './encrypted-value.ts'
import type { NumberChanges } from './kept-number.ts'
import type { PendingRecords } from './pending.ts'

/** What one transaction has. A transaction that is run again has a new one. */
export interface WriteScope {
  readonly context: RunnerContext
  readonly statements: WriteStatements
  readonly dialect: Dialect
  readonly cipher: Cipher
  readonly now: Date
  readonly actor: Asker
  /** In these words the actor is told what is wrong. */
  readonly vocabulary: Vocabulary
  readonly sideEffects: SideEffects
  /** Limited tokens of which one let this write through. */
  readonly tokensUsed: Set<LimitedToken>
  /** The new records whose effects run before they are stored, by id: what effects make may refer to them. */
  readonly pending: PendingRecords
  /** By how much the numbers that records keep of others change, and are to be written in the end. */
  readonly numbers: NumberChanges
  /** Whether new records are written one by one, so that it is known of which a value is taken. */
  readonly isSeparate: boolean
}
/** What effects did beside the records that the call names. */
export interface SideEffects {
  readonly changes: OtherChange[]
  readonly events: EmittedEvent[]
  /** The records that were created, changed or moved, in this order, each as often as that was. */
  readonly writes: { readonly resource: ResourceModel; readonly id: string }[]
  /** Those that get a number, of what the call names too. */
  readonly uncounted: Uncounted[]
}

/** A record that gets a number before its transaction ends. */
export interface Uncounted {
  readonly resource: ResourceModel
  readonly counter: CounterModel
  readonly id: string
  /** The record as it will be, which is told its number. */
  readonly record: Record<string, unknown>
}

/** What rules take from a write. */
export const askingOf = ({ actor, now }: Pick<WriteScope, 'actor' | 'now'>): Asking => ({
  ...shownBy(actor),
  requestTime: now,
})

/** As much as it takes to write rows, for those that write some without a call. */
export type RowScope = Pick<WriteScope, 'statements' | 'dialect' | 'cipher'> &
  Partial<Pick<WriteScope, 'pending' | 'numbers'>>

/** Opens the scope of a transaction that begins. */
export const openWriteScope = (
  context: RunnerContext,
  statements: WriteStatements,
  now: Date,
  { actor, vocabulary }: Pick<WriteScope, 'actor' | 'vocabulary'>,
  isSeparate = false,
): WriteScope => ({
  context,
  statements,
  dialect: context.dialect,
  cipher: context.cipher,
  now,
  actor,
  vocabulary,
  sideEffects: { changes: [], events: [], writes: [], uncounted: [] },
  tokensUsed: new Set(),
  pending: new Map(),
  numbers: new Map(),
  isSeparate,
})
