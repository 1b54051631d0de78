// The read methods of `records`, both in a transaction and by calls.

import type { CodeFace, CodeList } from '../code-face.ts'
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
export interface Reader {
  faceOf(of: ResourceReference): CodeFace
  record(face: CodeFace, id: string): Promise<Values>
  page(face: CodeFace, which: CodeList): Promise<Page>
  /** Null: a count. */
  total(face: CodeFace, which: CodeList, aggregate: Aggregate | null): Promise<unknown>
}

export function readsBy({ faceOf, record, page, total }: Reader) {
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
  }
}
