// An event as event streams and webhooks send it: the record as GET in one version of REST returns it. (contract 6.4)

import { memoizePair } from '../cache/memoize.ts'
import type { EventAnswer } from '../event/event-reader.ts'
import type { OutboxEvent } from '../event/outbox.ts'
import { describeFailure } from '../failure/description.ts'
import { Failure } from '../failure/failure.ts'
import type { Part, PreviousPart, Root } from '../read-plan/selection.ts'
import type { EventModel, OneRelation } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { fieldsOf, makeSelection } from './record-selection.ts'

type EventRoot = Extract<Root, { kind: 'records' }>

/** What is read of the event's record, in names of a version. Made once, so that subscribers with the same root share its reads. */
export const eventRoot = memoizePair(makeRoot)

function makeRoot({ resource, changed, isDeletion }: EventModel, vocabulary: Vocabulary): EventRoot {
  // Lists would cost a statement each, and a deleted record has none.
  const record = makeSelection(resource, vocabulary, { fields: fieldsOf(resource), links: [], can: false })
  const data: Part = { kind: 'self', key: 'data', of: record }
  const form = { kind: 'records', etag: false, scoped: false, asOf: isDeletion ? 'untilDeleted' : 'now' } as const
  if (changed.length === 0) return { ...form, of: { resource, parts: [data], hidden: 'omit' } }
  const parts = changed.map(({ field }): PreviousPart => ({ key: vocabulary.name(resource, field), field }))
  const relations = changed.map(({ field }) => resource.relations.get(field))
  return {
    ...form,
    of: { resource, parts: [data, { kind: 'previous', key: 'previous_attributes', parts }], hidden: 'omit' },
    previous: relations.filter((each): each is OneRelation => each?.kind === 'one'),
  }
}

/** JSON text of `{ type, timestamp, data, previous_attributes? }`; an `error` in place of `data` if the record could not be read. */
export function eventPayload({ name, at }: Pick<OutboxEvent, 'name' | 'at'>, answer: EventAnswer): string {
  const head = `{"type":${JSON.stringify(name)},"timestamp":"${at.toISOString()}"`
  if (answer.json !== null) return `${head},${answer.json.slice(1)}`
  const failure = answer.refusal ?? new Failure(answer.errors[0]?.code ?? 'INTERNAL_ERROR')
  const { message } = describeFailure(failure)
  return `${head},"error":${JSON.stringify({ code: failure.code, message })}}`
}
