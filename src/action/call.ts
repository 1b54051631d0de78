// The calls that faces make and their outcomes: no HTTP, no GraphQL.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { Deadline } from '../budget/deadline.ts'
import type { Detail } from '../failure/failure.ts'
import type { ListAnswer, ListArguments, RecordAnswer } from '../read-plan/run.ts'
import type { Root, Value } from '../read-plan/selection.ts'
import type { SummaryAnswer, SummaryRoot } from '../read-plan/summary.ts'
import type { Caller } from '../resource/actor.ts'
import type { WriteRequest } from '../resource/language/write-hook.ts'
import type { KeyName } from '../resource/model/key.ts'
import type { ActionModel, EventModel, FilterModel, QueryModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { authorizeLists } from './authorize.ts'
import type { CreateOnly } from './valid-input.ts'

export type RecordRoot = Extract<Root, { kind: 'record' }>
export type ListRoot = Extract<Root, { kind: 'list' }>

interface CallContext {
  readonly actor: Caller
  readonly lists: readonly ListArguments[]
  /** Shared by all calls of a request; by default, each call has its own. */
  readonly requestTime?: Date | undefined
  readonly deadline?: Deadline | undefined
  /** Limits the answer: beyond it, nothing is returned or written. */
  readonly size?: AnswerSize | undefined
}

export type RecordName = string | KeyName

export interface RecordCall extends CallContext {
  readonly resource: ResourceModel
  readonly id: RecordName
  /**
   * Kept by the face, so that its plan is reused. A function is called once the actor may read; may fail with VALIDATION_ERROR.
   */
  readonly root: RecordRoot | (() => RecordRoot)
}

export interface ListCall extends CallContext {
  readonly source: ListSource
  readonly holderId?: RecordName
  readonly vocabulary: Pick<Vocabulary, 'filter'>
  /** Called once the actor may read such lists. */
  readonly input: () => ListInput
}
export interface ListSource {
  readonly resource: ResourceModel
  readonly within: ListRoot['within']
  readonly query?: QueryModel | undefined
}
/** Problems come with the filters in use, which are authorized first. */
export type ListInput =
  | { readonly root: ListRoot; readonly list: ListArguments }
  | { readonly problems: readonly Detail[]; readonly filters: readonly FilterModel[] }

export interface SummaryCall extends Omit<CallContext, 'lists'> {
  readonly resource: ResourceModel
  readonly vocabulary: Pick<Vocabulary, 'filter'>
  /** Called once the actor may read such records. */
  /** As `ListInput`. */
  readonly input: () => SummaryInput
}
export type SummaryInput =
  | { readonly shape: SummaryRoot; readonly list: ListArguments; readonly zone: readonly Value[] }
  | { readonly problems: readonly Detail[]; readonly filters: readonly FilterModel[] }

export interface ListenCall {
  readonly event: EventModel
  readonly actor: Caller
  /** The record that the caller subscribes to, for an event `by` a relation. */
  readonly by: string | null
  /** Called once the actor is authorized. May fail with VALIDATION_ERROR. */
  readonly requireForm: () => void
}

/** A null `id` is any record. */
export interface RecordVersion {
  readonly version: number
  readonly id: string | null
}
export interface Target {
  /** Absent for create, an action on no record, and `selection`. */
  readonly id?: RecordName
  /** `If-Match`: one of these must be the record's; an empty list matches none. */
  readonly versions?: readonly RecordVersion[]
  /** `If-None-Match`: none of these may be the record's; `any`: the record must not exist. */
  readonly otherThan?: readonly RecordVersion[] | 'any'
  /** Fields of a replacement that only create accepts. */
  readonly createOnly?: CreateOnly
  /** Not validated, in names of the vocabulary. */
  readonly input: unknown
}
/** Where a request comes from, as far as code of the service sees it. */
export type RequestOrigin = Omit<WriteRequest, 'keyId'>
export interface WriteCall extends CallContext {
  readonly action: ActionModel
  /** Called once the actor is authorized. */
  readonly input: () => WriteInput
  /** PUT: a field that is not sent returns to its default. (contract 4.5.2) */
  readonly replace?: boolean
  readonly vocabulary: Vocabulary
  /** Null for delete. */
  readonly root: Extract<Root, { kind: 'records' }> | null
  readonly request: RequestOrigin | null
}
export interface WriteInput {
  readonly targets: readonly Target[]
  /** Found by the face, and reported with those of the inputs. (contract 7.2.4) */
  readonly problems?: readonly Detail[] | undefined
  readonly idempotency?: Idempotency | undefined
  /** Selects records; one target then stands for all. Null if it has a problem. (contract 13.7) */
  readonly selection?: WriteSelection | null | undefined
  /** Authorizes and validates, and stores nothing; the outcome has the ids. */
  readonly dryRun?: boolean | undefined
}
export type WriteSelection = Exclude<ListInput, { problems: unknown }>
/** Creates or replaces the records with these keys: one, or several by one key. */
export interface UpsertCall extends Omit<WriteCall, 'action' | 'input' | 'replace'> {
  readonly create: ActionModel
  readonly update: ActionModel
  /** Called once the actor may do either. */
  readonly input: () => UpsertInput
}
export interface UpsertInput extends Pick<WriteInput, 'problems' | 'idempotency'> {
  readonly targets: readonly UpsertTarget[]
}
export interface UpsertTarget {
  readonly name: KeyName
  readonly input: unknown
  /** `If-Match`; `any`: the record must exist. */
  readonly versions?: readonly RecordVersion[] | 'any'
  readonly otherThan?: readonly RecordVersion[] | 'any'
}
export type Write = Omit<WriteCall, 'input'> & WriteInput

/** Makes a write repeatable, per principal, method and path. (contract 4.7.3) */
export interface Idempotency {
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export interface WriteOutcome {
  /** How many of the records are new. */
  readonly created: number
  readonly records: readonly RecordAnswer[]
  readonly ids: readonly string[]
  /** The idempotency key was used before: nothing was written. */
  readonly replayed: boolean
}

/**
 * Carries out calls. Permission is checked before input is read. After the deadline, fails with SERVICE_UNAVAILABLE; beyond
 * `size`, with its failure.
 */
export interface Runner {
  /** Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE, VALIDATION_ERROR, and NOT_FOUND or its own code. */
  record(call: RecordCall): Promise<RecordAnswer>
  /** Fails as `record`; NOT_FOUND is about the record that contains the list. */
  list(call: ListCall): Promise<ListAnswer>
  /** A count of a list, or a value made of one of its fields. Fails as `list`. */
  aggregate(call: ListCall): Promise<unknown>
  summary(call: SummaryCall): Promise<SummaryAnswer>
  write(call: WriteCall): Promise<WriteOutcome>
  /** Fails as create and update do; 401 and 403 come before the form only if both are refused. */
  upsert(call: UpsertCall): Promise<WriteOutcome>
  /** Authorizes a subscription. Fails as `record`. */
  listen(call: ListenCall): Promise<void>
  /** Authorizes lists below a record. Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE. */
  readonly authorizeLists: typeof authorizeLists
}
