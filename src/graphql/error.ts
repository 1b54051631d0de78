// Errors as GraphQL answers them: a message, where, and a code of the catalogue. (contract 7.2)

import type { GraphQLError, SourceLocation } from 'graphql'
import { type Detail, Failure, type FailureCode } from '../failure/failure.ts'
import { createCleaner } from '../observation/secrets.ts'

export interface ErrorEntry {
  readonly message: string
  readonly locations?: readonly SourceLocation[]
  readonly path?: readonly (string | number)[]
  readonly extensions: {
    readonly code: FailureCode
    readonly details?: readonly { readonly field: string; readonly message: string }[]
  }
}

/** Names the problems of one input: `title`, `posts[3].title`, `ids[2]`. (contract 4 "GraphQL") */
export type NameDetail = (detail: Detail, isForm: boolean) => string
const plainly: NameDetail = ({ field }) => field

// More than this nobody reads; one body could have a hundred thousand.
const detailsMax = 1_000

/** A foreseen failure, its details named relative to the input. */
export function entryOf(failure: Failure, where: Partial<ErrorEntry> = {}, nameDetail = plainly): ErrorEntry {
  const { code, message } = failure
  const details = namedDetails(failure, nameDetail)
  const isAboutTheWhole = details.length === 1 && details[0]!.field === ''
  return {
    message: isAboutTheWhole ? details[0]!.message : message,
    ...where,
    extensions: details.length === 0 || isAboutTheWhole ? { code } : { code, details },
  }
}

function namedDetails({ code, details, target, message }: Failure, nameDetail: NameDetail) {
  const isForm = code === 'VALIDATION_ERROR'
  // A failure of one target is a detail even where it has none of its own.
  const all = details ?? (target === undefined ? [] : [{ field: '', message, target }])
  const told = new Map<string, { field: string; message: string }>()
  for (const detail of all) {
    if (told.size === detailsMax) break
    const field = nameDetail(detail, isForm)
    told.set(`${field}\n${detail.message}`, { field, message: detail.message })
  }
  return [...told.values()]
}

/** What graphql-js found in a document. It quotes whole literals, and a client's log is no place for a password either. */
export const entryOfGraphql = ({ message, locations }: GraphQLError, code: FailureCode): ErrorEntry => ({
  message: clean(message),
  ...(locations === undefined ? {} : { locations }),
  extensions: { code },
})

const clean = createCleaner([])

/** A request of which nothing is run. (contract 7 "GraphQL status") */
export class Refusal extends Error {
  readonly errors: readonly ErrorEntry[]
  constructor(errors: readonly ErrorEntry[]) {
    super('The GraphQL request is refused.')
    this.errors = errors
  }
}

/** The error for whatever was thrown; a bug is INTERNAL_ERROR and goes to the log, with all there is to know of it. */
export function entryOfThrown(
  thrown: unknown,
  where: Partial<ErrorEntry>,
  log: (bug: unknown) => void,
  nameDetail?: NameDetail,
): ErrorEntry {
  if (thrown instanceof Failure && thrown.code !== 'INTERNAL_ERROR') return entryOf(thrown, where, nameDetail)
  log(thrown)
  return entryOf(new Failure('INTERNAL_ERROR'), where)
}
