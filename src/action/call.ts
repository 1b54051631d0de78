// What a face asks the runner, and what it gets back. The waist of the hourglass: no HTTP, no GraphQL in here.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { Deadline } from '../budget/deadline.ts'
import type { Detail } from '../failure/failure.ts'
import type { ListAnswer, ListArguments, RecordAnswer } from '../read-plan/run.ts'
import type { Root } from '../read-plan/selection.ts'
import type { Actor } from '../resource/actor.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Asks for one record or one list. The root is kept by the face, so that its plan is found again. */
export interface ReadCall {
  readonly root: Extract<Root, { kind: 'record' | 'list' }>
  readonly actor: Actor | null
  /** The record's id, or that of the record which the list is within. */
  readonly id?: string
  /** For a list. */
  readonly list?: ListArguments
  /** The arguments of the lists below, by slot. */
  readonly lists: readonly ListArguments[]
  /** How long somebody waits for it. */
  readonly deadline?: Deadline | undefined
  /** Counts what is answered. */
  readonly size?: AnswerSize | undefined
}

/** One record to be written: single, batch and update-many differ only in how many there are. */
export interface Target {
  /** Absent for create. */
  readonly id?: string
  /** The versions, one of which `If-Match` demands; empty: none matches. */
  readonly versions?: readonly number[]
  /** In the names of the call's vocabulary; not yet checked. */
  readonly input: unknown
}
export interface WriteCall {
  readonly action: ActionModel
  readonly actor: Actor | null
  readonly targets: readonly Target[]
  /** Problems of form that the face found, told together with those of the targets' inputs. (contract 7.2.4) */
  readonly problems?: readonly Detail[]
  /** PUT: what is not sent returns to its default. (contract 4.5.2) */
  readonly replace?: boolean
  readonly vocabulary: Vocabulary
  /** How the written records are answered; null for delete. */
  readonly root: Extract<Root, { kind: 'records' }> | null
  readonly lists: readonly ListArguments[]
  readonly idempotency?: Idempotency
  readonly requestId: string
  /** After its end nothing is begun; what has begun is finished while there is time. */
  readonly deadline?: Deadline | undefined
  /** Counts what is answered: where that is too much, nothing is written. */
  readonly size?: AnswerSize | undefined
}
/** A key that makes a write repeatable, within the scope of principal, method and path. (contract 4.7.3) */
export interface Idempotency {
  readonly key: string
  readonly method: string
  readonly path: string
  /** The body as it was read: its canonical form is fingerprinted. */
  readonly body: unknown
}

export interface WriteOutcome {
  /** In the order of the targets; empty for delete. */
  readonly records: readonly RecordAnswer[]
  readonly ids: readonly string[]
  /** True where an idempotency key was seen before: nothing was written. */
  readonly replayed: boolean
  /** What is shown once: the tokens made for each created record, by field. */
  readonly tokens: readonly Readonly<Record<string, string>>[]
}

/**
 * Carries out calls. Every failure is one of the catalogue's, its `details` in the vocabulary's names. A call whose
 * deadline ends fails with SERVICE_UNAVAILABLE, one whose answer is too large with what its size fails with.
 */
export interface Runner {
  /** Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE, NOT_FOUND or USER_NOT_FOUND. */
  record(call: ReadCall): Promise<RecordAnswer>
  /** Fails like `record`; NOT_FOUND concerns the record that the list is within. */
  list(call: ReadCall): Promise<ListAnswer>
  write(call: WriteCall): Promise<WriteOutcome>
}
