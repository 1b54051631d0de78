// Lists of a test's own records.

import type { Answer } from './answer.ts'
import type { Scene } from './clause.ts'
import type { Made } from './kit.ts'

/** A list of this test's own records, in order of creation. */
export interface Page {
  readonly made: readonly Made[]
  list(parameters: string): Promise<Answer>
}

export async function pageOf({ kit, subject }: Scene, count: number): Promise<Page> {
  const { field } = subject.profile.text!
  const mark = kit.unique()
  const made = await subject.makeMany(count, (at) => ({ [field]: `${mark} ${String.fromCharCode(97 + at)}` }))
  const where = `where=${encodeURIComponent(`startsWith(${field}, "${mark}")`)}`
  return {
    made,
    list: (parameters) => kit.send(`GET ${subject.path}?${where}&${parameters}`, { as: subject.creator }),
  }
}

export const idsOf = ({ data }: Answer): readonly string[] => data.map(({ id }: { id: string }) => id)
