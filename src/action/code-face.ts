// How code of a definition reads a resource, in names of the definition and with the caller's rights. Shared by effects, checks,
// routes and reactions.

import type { SummaryRoot } from '../read-plan/summary.ts'
import type { Caller } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { ListInput, ListSource, RecordRoot, SummaryInput, WriteCall } from './call.ts'

type Values = Readonly<Record<string, unknown>>
export interface CodeList {
  readonly filter?: Values
  /** A tree or a text. (contract 12.1) */
  readonly where?: unknown
  readonly search?: string
  readonly sort?: readonly string[]
  /** From 1. */
  readonly page?: number
  readonly limit?: number
  /** From the last page; null for the first. */
  readonly cursor?: string | null
}

/** Of what the resource's summary declares. */
export interface CodeSummary extends Omit<CodeList, 'cursor'> {
  /** `status`, `createdAt:month`. */
  readonly by?: readonly string[]
  /** What is added up. */
  readonly of?: readonly string[]
  readonly timeZone?: string
}
export interface ListReader {
  /**
   * A wrong value, which may be a client's, is a problem of the input. A wrong name, order, size or form is a bug of the code and
   * throws. (contract 13.3.11)
   */
  read(names: CodeList, caller: Caller): ListInput
}
export interface SummaryReader {
  /** As that of lists. */
  read(which: CodeSummary, caller: Caller): SummaryInput
  groups(json: string | null, shape: SummaryRoot): readonly Values[]
}

/** One per resource, so that read plans are reused. */
export interface CodeFace {
  readonly resource: ResourceModel
  readonly record: RecordRoot
  readonly records: NonNullable<WriteCall['root']>
  readonly source: ListSource
  readonly lists: ListReader
  /** Null without a summary. */
  readonly summary: SummaryReader | null
  /** From the JSON of a read plan to what callbacks see. */
  row(json: string | null): Values
  rows(json: string | null): readonly Values[]
}
/** The service itself also sees secrets in clear. */
export type CodeFaces = (resource: ResourceModel, caller: Caller) => CodeFace
