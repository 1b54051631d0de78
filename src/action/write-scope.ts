// The scope that the steps of one transaction share.

import { type Caller, shownBy } from '../resource/actor.ts'
import type { ExclusionModel } from '../resource/model/column.ts'
import type { CounterModel, KeptNumber, ResourceModel } from '../resource/model/model.ts'
import type { LimitedToken } from '../resource/model/rule/token-use.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { Dialect, Strength } from '../store/sql/text/dialect.ts'
import type { RuleInputs } from '../store/sql/text/sql-text.ts'
import type { WriteStatements } from '../store/sql/write/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { RequestOrigin } from './call.ts'
import type { EmittedEvent, OtherChange, RunnerContext } from './context.ts'
import type { Cipher } from './encrypted-value.ts'

/** Made anew if the transaction is run again. */
export interface WriteScope {
  readonly context: RunnerContext
  readonly statements: WriteStatements
  readonly dialect: Dialect
  readonly cipher: Cipher
  readonly now: Date
  /** Null if no client asked for the write. */
  readonly request: RequestOrigin | null
  readonly actor: Caller
  /** The client's names, for failures. */
  readonly vocabulary: Vocabulary
  readonly sideEffects: SideEffects
  /** Access codes that this write depends on, with the limited tokens that each may be. */
  readonly tokensUsed: Map<string, Set<LimitedToken>>
  /** Those codes that limited tokens are compared with; by default all that the caller shows. */
  readonly limitedCodes?: string
  /** New records whose effects run before they are stored, since effects may refer to them. */
  readonly pending: PendingRecords
  readonly numbers: NumberChanges
  /** Written records that must not overlap others, judged last. */
  readonly exclusions: ExclusionNotes
  readonly attempt: WriteAttempt
  readonly locks: HeldLocks
  readonly readRecords: Map<string, Readonly<Record<string, unknown>>>
  /** Writes new records one by one, to learn which of them violates a unique index. */
  readonly isSeparate: boolean
  /** Nothing else is written in the transaction, so it may take long. */
  readonly isExclusive: boolean
}
export type WriteMode = Pick<WriteScope, 'isSeparate' | 'isExclusive'>
/** A lock of a search, of a tree (contract 10.3.2) or of keys. Sharers exclude only those who do not share. */
export interface AdvisoryLock {
  readonly name: string
  readonly isShared: boolean
}
export interface LockedRow {
  readonly resource: ResourceModel
  readonly id: string
}
export interface LockedRows {
  readonly resource: ResourceModel
  readonly ids: readonly string[]
  readonly strength: Strength
}
export interface MissedRows {
  readonly ids: Set<string>
  strength: Strength
}
/** Ids of locked records, by strength. */
export interface HeldLocks {
  readonly exclusive: Set<string>
  readonly shared: Set<string>
  readonly advisory: Map<string, AdvisoryLock>
  /** Stored records, as they were locked. */
  readonly rows: LockedRows[]
  /** The last of these in the order of locks. `end`: others may wait for a unique value, so this transaction waits for nothing. */
  last: LockedRow | 'end' | null
}
/** An attempt to write: what it can affect, and which locks earlier attempts lacked. */
export interface WriteAttempt {
  readonly resources: readonly ResourceModel[]
  /** Effects may write any record. */
  readonly runsEffects: boolean
  /** It lost a race, so it now locks whatever its code reads. */
  readonly isRepeated: boolean
  /** Rows that it had locked then or lacked, and locks first now. */
  readonly missed: Map<ResourceModel, MissedRows>
  readonly missedAdvisory: Map<string, AdvisoryLock>
  /** Of records that code wanted to create, and another write did. */
  readonly takenKeys: Set<string>
}

export type PendingRecords = Map<string, PendingRecord>
export interface PendingRecord {
  readonly record: Readonly<Record<string, unknown>>
  /** Writes to run after it is stored, in order. */
  readonly waiting: (() => Program<void>)[]
}

export type NumberChanges = Map<ResourceModel, Map<string, HolderChange>>
/** Differences of its numbers; `fields` if stored values are made from others that changed. */
export type HolderChange = Map<KeptNumber | 'fields', bigint>

export type ExclusionNotes = Map<ExclusionModel, { readonly resource: ResourceModel; readonly ids: Set<string> }>

export interface SideEffects {
  readonly changes: OtherChange[]
  readonly events: EmittedEvent[]
  /** In order and with repetitions. */
  readonly writes: { readonly resource: ResourceModel; readonly id: string }[]
  /** Records that get a number, those of the call included. */
  readonly uncounted: Uncounted[]
}

export interface Uncounted {
  readonly resource: ResourceModel
  readonly counter: CounterModel
  readonly id: string
  readonly record: Record<string, unknown>
}

/** The part that rules use. */
export const ruleInputsOf = ({
  actor,
  now,
  limitedCodes,
}: Pick<WriteScope, 'actor' | 'now' | 'limitedCodes'>): RuleInputs => ({
  ...shownBy(actor),
  requestTime: now,
  ...(limitedCodes === undefined ? {} : { limitedCodes }),
})

export type RowScope = Pick<WriteScope, 'statements' | 'dialect' | 'cipher'> &
  Partial<Pick<WriteScope, 'pending' | 'numbers' | 'exclusions' | 'locks' | 'attempt'>>

export const openWriteScope = (
  context: RunnerContext,
  statements: WriteStatements,
  opening: WriteMode & Pick<WriteScope, 'actor' | 'vocabulary' | 'request' | 'now' | 'attempt'>,
): WriteScope => ({
  context,
  statements,
  dialect: context.dialect,
  cipher: context.cipher,
  ...opening,
  sideEffects: { changes: [], events: [], writes: [], uncounted: [] },
  tokensUsed: new Map(),
  pending: new Map(),
  numbers: new Map(),
  exclusions: new Map(),
  locks: { exclusive: new Set(), shared: new Set(), advisory: new Map(), rows: [], last: null },
  readRecords: new Map(),
})
