// Names in the `details` of a failure: `title`, `posts[3].title`, `ids[2]`. (contract 4.6.3)

import type { NameDetail } from '../failure/description.ts'

/** For a create of many, in the list of this name. */
export const ofMember =
  (list: string): NameDetail =>
  ({ field, target }) => {
    if (target === undefined) return field
    return field === '' ? `${list}[${target}]` : `${list}[${target}].${field}`
  }

/** For a move of many, whose input is a separate member. */
export const ofMove: NameDetail = ({ field, target }, isForm) => {
  if (target === undefined) return field
  if (field === '' && !isForm) return `ids[${target}]`
  return field === '' ? 'input' : `input.${field}`
}

/** For an update of many: fields are shared; a record is named by its index in `ids`. */
export const ofId: NameDetail = ({ field, target }, isForm) =>
  field === '' && target !== undefined && !isForm ? `ids[${target}]` : field
