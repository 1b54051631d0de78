// The ETag of a record. (contract 4.11.4, 4.11.9, 13.2.6)

import { linksOf } from '../action/record-selection.ts'
import { bodyMark, maskMark, ownETag, recordETag } from '../http/message/conditional.ts'
import type { RecordAnswer } from '../read-plan/run.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { ResourceEndpoint } from './route/routes.ts'

type Answer = Pick<RecordAnswer, 'version' | 'mask' | 'tally'>

/**
 * Hashes the body if version, mask and tally do not identify it, or would reveal a hidden number. `isWhole`: it has all fields.
 * `ownId`: set for an address that may name another record for another caller, or later.
 */
export function tagOf(
  { version, mask, tally }: Answer,
  { resource, version: { name } }: Pick<ResourceEndpoint, 'resource' | 'version'>,
  body: { readonly text: string; readonly isWhole: boolean },
  ownId: string | null,
): string {
  const isMark = !body.isWhole || needsMark(resource) || resource.olderNames.has(name)
  const mark = isMark ? bodyMark(body.text) : maskMark(mask)
  const ownTally = isMark ? undefined : tally
  return ownId === null ? recordETag(version, mark, ownTally) : ownETag(version, mark, ownId, ownTally)
}

const needsMark = (resource: ResourceModel): boolean =>
  linksOf(resource).length > 0 || resource.keptNumbers.some(({ column }) => resource.masked.includes(column.field))
