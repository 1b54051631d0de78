// The read methods of `records`, both in a transaction and by calls.

import type { ResourceModel } from '../../resource/model/model.ts'
import type { CodeFace, CodeList, CodeSummary, SummaryReader } from '../code-face.ts'
import { type Aggregate, aggregateOf } from '../question/aggregate.ts'

export type Values = Readonly<Record<string, unknown>>
export interface ResourceReference {
  readonly name: string
}
export interface Page {
  readonly rows: readonly Values[]
  readonly hasNext: boolean
  readonly nextCursor: string | null
}
export interface Groups {
  readonly groups: readonly Values[]
  readonly hasNext: boolean
}
export type Summarised = CodeFace & { readonly summary: SummaryReader }
export interface Reader {
  faceOf(of: ResourceReference): CodeFace
  record(face: CodeFace, id: string): Promise<Values>
  page(face: CodeFace, which: CodeList): Promise<Page>
  /** Null: a count. */
  total(face: CodeFace, which: CodeList, aggregate: Aggregate | null): Promise<unknown>
  summary(face: Summarised, which: CodeSummary): Promise<Groups>
}

export function readsBy({ faceOf, record, page, total, summary }: Reader) {
  const aggregates =
    (make: Aggregate['make']) =>
    async (of: ResourceReference, field: string, which: CodeList = {}): Promise<unknown> => {
      const face = faceOf(of)
      return await total(face, which, aggregateOf(face.resource, make, field))
    }
  return {
    get: async (of: ResourceReference, id: string): Promise<Values> => await record(faceOf(of), id),
    async list(of: ResourceReference, which: CodeList = {}) {
      const { rows, hasNext } = await page(faceOf(of), which)
      return { records: rows, hasNext }
    },
    async *each(of: ResourceReference, which: CodeList = {}) {
      let cursor: string | null = null
      do {
        const { rows, nextCursor }: Page = await page(faceOf(of), { ...which, cursor })
        yield* rows
        cursor = nextCursor
      } while (cursor !== null)
    },
    count: async (of: ResourceReference, which: CodeList = {}): Promise<number> =>
      (await total(faceOf(of), which, null)) as number,
    sum: aggregates('sum'),
    max: aggregates('max'),
    distinct: aggregates('distinct'),
    summary: async (of: ResourceReference, which: CodeSummary = {}): Promise<Groups> => {
      const face = faceOf(of)
      if (!isSummarised(face)) throw new Error(`The service's own code sums up ${of.name}, which has no summary.`)
      return await summary(face, which)
    },
  }
}

const isSummarised = (face: CodeFace): face is Summarised => face.summary !== null

type Method = (of: ResourceModel, ...rest: never[]) => unknown

/** Of the definition's own resource, which does not exist yet when the definition is written: each method is bound to it. */
export const recordsHere = (resource: ResourceModel, methods: object): object =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, Method]) => [
      name,
      (...rest: never[]) => method(resource, ...rest),
    ]),
  )
