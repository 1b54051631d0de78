// The ETag of a record that REST answers: of what tells it from other answers of its address. (contract 4.11.4, 13.2.6)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { bodyMark, maskMark, ownETag, recordETag } from '../http/message/conditional.ts'
import type { RecordAnswer } from '../read-plan/run.ts'
import type { ResourceModel } from '../resource/model/model.ts'

type Answer = Pick<RecordAnswer, 'version' | 'mask' | 'tally'>

/**
 * Of the body where version, mask and tally do not determine it, or would tell of a number that is hidden from the reader.
 * `whole` is the body where it must be of that; `ownId` the record's where its address means another one for every caller.
 */
export function tagOf(
  { version, mask, tally }: Answer,
  resource: ResourceModel,
  body: { readonly text: string; readonly isMark: boolean },
  ownId: string | null = null,
): string {
  const isWhole = body.isMark || hidesNumbers(resource)
  const mark = isWhole ? bodyMark(body.text) : maskMark(mask)
  const ownTally = isWhole ? undefined : tally
  return ownId === null ? recordETag(version, mark, ownTally) : ownETag(version, mark, ownId, ownTally)
}

const hidesNumbers = (resource: ResourceModel): boolean =>
  getOrInsert(hiding, resource, ({ keptNumbers, masked }) =>
    keptNumbers.some(({ column }) => masked.includes(column.field)),
  )
const hiding = new WeakMap<ResourceModel, boolean>()
