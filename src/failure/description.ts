// What a failure tells a client, on either face: its sentence, and its details under the names of that face. (contract 7.2.8, 7.3.2)

import type { Detail, Failure } from './failure.ts'

/** The name of one problem. `isForm`: it is about what was sent rather than about the record. */
export type NameDetail = (detail: Detail, isForm: boolean) => string

/** One record: its fields are called what they are called. */
export const plainly: NameDetail = ({ field }) => field

export interface Description {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

// More than this nobody reads; a body of a mebibyte could have a hundred thousand.
const detailsMax = 1_000
// A name that a client made up may be as long as a body; a sentence is for people.
const fieldShown = 200

/**
 * The sentence and the details of a failure, each detail once. A problem of the whole is the sentence itself; the only
 * problem of a request is its sentence too, after the name of its field: a log or a toast that shows no more says what is wrong.
 */
export function describeFailure(failure: Failure, nameDetail: NameDetail = plainly): Description {
  const isForm = failure.code === 'VALIDATION_ERROR'
  const problems = new Map<string, { field: string; message: string }>()
  for (const detail of detailsOf(failure)) {
    if (problems.size === detailsMax) break
    const field = nameDetail(detail, isForm)
    problems.set(`${field}\n${detail.message}`, { field, message: detail.message })
  }
  const details = [...problems.values()]
  const [only] = details
  if (only === undefined || details.length > 1) return { message: failure.message, details }
  if (only.field === '') return { message: only.message, details: [] }
  const isSentence = isForm && only.field.length <= fieldShown
  return { message: isSentence ? `${only.field}: ${only.message}` : failure.message, details }
}

/** A failure of one target is a detail even where it has none of its own. */
const detailsOf = ({ details, target, message }: Failure): readonly Detail[] =>
  details ?? (target === undefined ? [] : [{ field: '', message, target }])
