// What a face asks the runner, and what it gets back. The waist of the hourglass: no HTTP, no GraphQL in here.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { Deadline } from '../budget/deadline.ts'
import type { Detail } from '../failure/failure.ts'
import type { ListAnswer, ListArguments, RecordAnswer } from '../read-plan/run.ts'
import type { Root, Value } from '../read-plan/selection.ts'
import type { SummaryAnswer, SummaryShape } from '../read-plan/summary.ts'
import type { Asker } from '../resource/actor.ts'
import type { KeyName } from '../resource/model/key.ts'
import type { ActionModel, EventModel, FilterModel, QueryModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

export type RecordRoot = Extract<Root, { kind: 'record' }>
export type ListRoot = Extract<Root, { kind: 'list' }>

/** What every call says beside what it asks for. */
interface CallContext {
  readonly actor: Asker
  /** The arguments of the lists below, by slot. */
  readonly lists: readonly ListArguments[]
  /** The moment that all calls of one request are read at; each its own where absent. */
  readonly requestTime?: Date | undefined
  /** How long somebody waits for it. */
  readonly deadline?: Deadline | undefined
  /** Counts what is answered: where that is too much, nothing is answered, or written. */
  readonly size?: AnswerSize | undefined
}

/** A record's id, or one of its keys. */
export type RecordName = string | KeyName

/** Asks for one record. */
export interface RecordCall extends CallContext {
  readonly resource: ResourceModel
  readonly id: RecordName
  /**
   * What is answered of it. The face keeps it, so that its plan is found again. A function is called once the actor may
   * read such records, and may fail with VALIDATION_ERROR.
   */
  readonly root: RecordRoot | (() => RecordRoot)
}

/** Asks for one list. */
export interface ListCall extends CallContext {
  readonly source: ListSource
  /** The id of the record that the list is within. */
  readonly holderId?: string
  readonly vocabulary: Pick<Vocabulary, 'filter'>
  /** Reads what is asked, once the actor may read such lists. */
  readonly input: () => ListInput
}
/** Which records a list is made of. */
export interface ListSource {
  readonly resource: ResourceModel
  readonly within: ListRoot['within']
  readonly query?: QueryModel | undefined
}
/** A list with its arguments, or what is wrong with them; then also which filters they name, whatever their values. */
export type ListInput =
  | { readonly root: ListRoot; readonly list: ListArguments }
  | { readonly problems: readonly Detail[]; readonly filters: readonly FilterModel[] }

/** Asks what many records come to. */
export interface SummaryCall extends Omit<CallContext, 'lists'> {
  readonly resource: ResourceModel
  readonly vocabulary: Pick<Vocabulary, 'filter'>
  /** Reads what is asked, once the actor may read such records. */
  readonly input: () => SummaryInput
}
/** A summary with its values, or what is wrong with them; then also which filters they name. */
export type SummaryInput =
  | { readonly shape: SummaryShape; readonly list: ListArguments; readonly zone: readonly Value[] }
  | { readonly problems: readonly Detail[]; readonly filters: readonly FilterModel[] }

/** Asks to hear of an event. */
export interface ListenCall {
  readonly event: EventModel
  readonly actor: Asker
  /** The record that the caller listens to, for an event `by` a relation. */
  readonly by: string | null
  /** Looks at what is asked of each event, once the actor may hear of it. May fail with VALIDATION_ERROR. */
  readonly requireForm: () => void
}

/** One record to be written: single, batch and update-many differ only in how many there are. */
export interface Target {
  /** Absent for create. */
  readonly id?: RecordName
  /** The versions, one of which `If-Match` demands; empty: none matches. */
  readonly versions?: readonly number[]
  /** In the names of the call's vocabulary; not yet checked. */
  readonly input: unknown
}
export interface WriteCall extends CallContext {
  readonly action: ActionModel
  /** Reads what is sent, once the actor may do such a thing. */
  readonly input: () => WriteInput
  /** PUT: what is not sent returns to its default. (contract 4.5.2) */
  readonly replace?: boolean
  readonly vocabulary: Vocabulary
  /** How the written records are answered; null for delete. */
  readonly root: Extract<Root, { kind: 'records' }> | null
  readonly requestId: string
}
export interface WriteInput {
  readonly targets: readonly Target[]
  /** Problems of form that the face found, told together with those of the targets' inputs. (contract 7.2.4) */
  readonly problems?: readonly Detail[] | undefined
  readonly idempotency?: Idempotency | undefined
  /** Which records are written, where no ids say that: then one target stands for all. Null where it has a problem. (contract 13.7) */
  readonly selection?: WriteSelection | null | undefined
  /** Authorizes and validates, and stores nothing: the outcome has the ids. */
  readonly dryRun?: boolean | undefined
}
/** A list of ids. */
export type WriteSelection = Exclude<ListInput, { problems: unknown }>
/** Creates the record that a key names, or replaces it. */
export interface UpsertCall extends Omit<WriteCall, 'action' | 'input' | 'replace'> {
  readonly create: ActionModel
  readonly update: ActionModel
  /** Reads what is sent, once the actor may do either. */
  readonly input: () => UpsertInput
}
export interface UpsertInput {
  readonly name: KeyName
  /** In the names of the call's vocabulary; the key's fields may be left out. */
  readonly input: unknown
  /** One of which `If-Match` demands; `any`: there must be a record. */
  readonly versions?: readonly number[] | 'any'
  readonly problems?: readonly Detail[] | undefined
}
/** A call whose input has been read. */
export type Write = Omit<WriteCall, 'input'> & WriteInput

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

export interface UpsertOutcome extends WriteOutcome {
  readonly created: boolean
}

/**
 * Carries out calls. Every failure is one of the catalogue's, its `details` in the vocabulary's names. A call carries its
 * input unread: whether the actor may comes first, whatever the face. A call whose deadline ends fails with
 * SERVICE_UNAVAILABLE, one whose answer is too large with what its size fails with.
 */
export interface Runner {
  /** Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE, VALIDATION_ERROR, NOT_FOUND or what the resource says for it. */
  record(call: RecordCall): Promise<RecordAnswer>
  /** Fails like `record`; NOT_FOUND concerns the record that the list is within. */
  list(call: ListCall): Promise<ListAnswer>
  /** What is counted or added up of a list, whose root says which. Fails like `list`. */
  aggregate(call: ListCall): Promise<unknown>
  /** Fails like `list`. */
  summary(call: SummaryCall): Promise<SummaryAnswer>
  write(call: WriteCall): Promise<WriteOutcome>
  /** One of the two, and whether it was create; fails as that does, and with 401 and 403 whatever the record only where both do. */
  upsert(call: UpsertCall): Promise<UpsertOutcome>
  /** Whether the actor may hear of an event, and of this record. Fails like `record`. */
  listen(call: ListenCall): Promise<void>
  /** Whether the actor may ask for lists below a record, whatever their records are. Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE. */
  authorizeLists(
    lists: readonly { readonly resource: ResourceModel; readonly filters: readonly FilterModel[] }[],
    actor: Asker,
    vocabulary: Pick<Vocabulary, 'filter'>,
  ): void
}
