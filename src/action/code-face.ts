// How the code of a definition reads the records of one resource: by the names of the definition, as whoever it reads for may see
// them. Effects, checks, routes and reactions share it.

import type { Asker } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { ListInput, ListSource, RecordRoot, WriteCall } from './call.ts'

type Values = Readonly<Record<string, unknown>>
/** Which records of a list, in the names of the definition. */
export interface CodeList {
  readonly filter?: Values
  /** A condition, as a tree or as text. (contract 12.1) */
  readonly where?: unknown
  readonly sort?: readonly string[]
  readonly perPage?: number
  /** Where it goes on; null from the beginning. */
  readonly cursor?: string | null
}

/** Made once for each resource, so that its read plans are found again. */
export interface CodeFace {
  readonly resource: ResourceModel
  readonly record: RecordRoot
  readonly records: NonNullable<WriteCall['root']>
  readonly source: ListSource
  readonly lists: {
    /** Never fails: what is wrong is in the input. */
    read(names: CodeList, asker: Asker): ListInput
  }
  /** From the JSON of an answer to what callbacks see. */
  row(json: string | null): Values
  rows(json: string | null): readonly Values[]
}
/** The service itself sees what is stored in clear, beside what readers see. */
export type CodeFaces = (resource: ResourceModel, asker: Asker) => CodeFace
