// What an idempotency key stores of its answer: `ids`, and of a guest's answer the whole. Releases that run next to each other share
// both forms, so one that this release does not know is 503: another instance may know it. (contract 0.2.9)

import { Failure } from '../../failure/failure.ts'
import type { Mask } from '../../read-plan/mask.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import type { WriteOutcome } from '../call.ts'

export interface Answered extends Pick<RecordAnswer, 'version' | 'mask' | 'tally'> {
  readonly id: string
  /** The ids of linked records, if answers contain such lists. */
  readonly links?: readonly string[]
}
export type FirstAnswer = Pick<WriteOutcome, 'records'>
export interface StoredRecords {
  readonly records: readonly Answered[]
  /** How many of them an upsert of many created; otherwise 0. */
  readonly created: number
}
type StoredRecord = [id: string, version: number, mask: Mask, tally?: number | null, links?: string[]]

export const recordsText = ({ records, created }: StoredRecords): string =>
  JSON.stringify([
    ...records.map(
      ({ id, version, mask, tally, links }): StoredRecord => [
        id,
        version,
        mask,
        ...((links === undefined ? (tally === undefined ? [] : [tally]) : [tally ?? null, links]) as [number?]),
      ],
    ),
    ...(created === 0 ? [] : [created]),
  ])

export function readRecords(text: string): StoredRecords {
  const parts = readJson(text)
  if (!Array.isArray(parts)) throw unknownForm()
  const records: Answered[] = []
  let created = 0
  for (const part of parts) {
    if (typeof part === 'number') created = part
    else if (isStoredRecord(part)) records.push(answeredOf(part))
    else throw unknownForm()
  }
  return { records, created }
}

function isStoredRecord(part: unknown): part is StoredRecord {
  if (!Array.isArray(part)) return false
  const [id, version, mask, tally = null, links = []] = part as readonly unknown[]
  return (
    part.length <= 5 &&
    typeof id === 'string' &&
    typeof version === 'number' &&
    (typeof mask === 'number' || typeof mask === 'string') &&
    (tally === null || typeof tally === 'number') &&
    Array.isArray(links)
  )
}

const answeredOf = ([id, version, mask, tally, links]: StoredRecord): Answered => ({
  id,
  version,
  mask,
  ...(tally === undefined || tally === null ? {} : { tally }),
  ...(links === undefined ? {} : { links }),
})

/** `decrypt` throws if the text was encrypted in another form. */
export function readFirstAnswer(decrypt: () => string): FirstAnswer {
  let text: string
  try {
    text = decrypt()
  } catch (error) {
    throw unknownForm(error)
  }
  const answer = readJson(text) as Partial<FirstAnswer> | null
  if (!Array.isArray(answer?.records) || !answer.records.every(isRecordAnswer)) throw unknownForm()
  return { records: answer.records }
}

const isRecordAnswer = (record: Partial<RecordAnswer> | null): record is RecordAnswer =>
  typeof record?.json === 'string' && typeof record.version === 'number' && Array.isArray(record.errors)

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unknownForm(error)
  }
}

const unknownForm = (cause?: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'Another release of the service answered this idempotency key first. Repeat the request.',
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause }),
  })
