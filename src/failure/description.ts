// The message and details of a failure, with the field names of a face. (contract 7.2.8, 7.3.2)

import type { Detail, Failure } from './failure.ts'

/** Names a detail. `isForm`: it concerns the input rather than the record. */
export type NameDetail = (detail: Detail, isForm: boolean) => string

/** Uses field names unchanged. */
export const plainly: NameDetail = ({ field }) => field

export interface Description {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

// A body of a mebibyte could produce a hundred thousand.
const detailsMax = 1_000
// Unknown names in input may be as long as the body.
const fieldShown = 200

/**
 * Removes duplicates. A problem of the whole becomes the message; so does a single detail, after the name of its field, as logs
 * and toasts show only the message.
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

/** A failure of a single target is a detail even without details. */
const detailsOf = ({ details, target, message }: Failure): readonly Detail[] =>
  details ?? (target === undefined ? [] : [{ field: '', message, target }])
