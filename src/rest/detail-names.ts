// What the `details` of a failure are called in an answer: `title`, `posts[3].title`, `ids[2]`. (contract 4 "Writes")

import type { Detail, Failure } from '../failure/failure.ts'

/** The name of one problem. `form`: it is about what was sent rather than about the record. */
export type NameDetail = (detail: Detail, form: boolean) => string

/** One record: its fields are called what they are called. */
export const plainly: NameDetail = ({ field }) => field

/** Many new records in a list that has this name. */
export const ofMember =
  (list: string): NameDetail =>
  ({ field, target }) => {
    if (target === undefined) return field
    return field === '' ? `${list}[${target}]` : `${list}[${target}].${field}`
  }

/** Many records changed alike: a field stands once for all of them, a record by its place among the ids. */
export const ofId: NameDetail = ({ field, target }, form) =>
  field === '' && target !== undefined && !form ? `ids[${target}]` : field

interface Named {
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

// More than this nobody reads; a body of a mebibyte could have a hundred thousand.
const detailsMax = 1_000

/** The sentence and the details of a failure. Each is told once, and one about the whole is the sentence itself. */
export function namesOf(failure: Failure, nameDetail: NameDetail): Named {
  const form = failure.code === 'VALIDATION_ERROR'
  const told = new Map<string, { field: string; message: string }>()
  for (const detail of detailsOf(failure)) {
    if (told.size === detailsMax) break
    const field = nameDetail(detail, form)
    told.set(`${field}\n${detail.message}`, { field, message: detail.message })
  }
  const details = [...told.values()]
  const isAboutTheWhole = details.length === 1 && details[0]!.field === ''
  return isAboutTheWhole ? { message: details[0]!.message, details: [] } : { message: failure.message, details }
}

/** A failure of one target is a detail even where it has none of its own. */
const detailsOf = ({ details, target, message }: Failure): readonly Detail[] =>
  details ?? (target === undefined ? [] : [{ field: '', message, target }])
