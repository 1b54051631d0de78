// What the `details` of a failure are called in an answer: `title`, `posts[3].title`, `ids[2]`. (contract 4.6.3)

import type { NameDetail } from '../failure/description.ts'

/** Many new records in a list that has this name. */
export const ofMember =
  (list: string): NameDetail =>
  ({ field, target }) => {
    if (target === undefined) return field
    return field === '' ? `${list}[${target}]` : `${list}[${target}].${field}`
  }

/** A move of many: what it takes is in a member of its own. */
export const ofMove: NameDetail = ({ field, target }, isForm) => {
  if (target === undefined) return field
  if (field === '' && !isForm) return `ids[${target}]`
  return field === '' ? 'input' : `input.${field}`
}

/** Many records changed alike: a field stands once for all of them, a record by its place among the ids. */
export const ofId: NameDetail = ({ field, target }, isForm) =>
  field === '' && target !== undefined && !isForm ? `ids[${target}]` : field
