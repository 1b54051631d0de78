// Errors as GraphQL answers them: a message, where, and a code of the catalogue. (contract 7.3)

import type { GraphQLError, SourceLocation } from 'graphql'
import { describeFailure, type NameDetail } from '../failure/description.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
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

/** A foreseen failure, its details named relative to the input: `title`, `posts[3].title`, `ids[2]`. (contract 4.8.7) */
export function entryOf(failure: Failure, where: Partial<ErrorEntry> = {}, nameDetail?: NameDetail): ErrorEntry {
  const { code } = failure
  const { message, details } = describeFailure(failure, nameDetail)
  return { message, ...where, extensions: details.length === 0 ? { code } : { code, details } }
}

/** What graphql-js found in a document. It quotes whole literals, and a client's log is no place for a password either. */
export const entryOfGraphql = ({ message, locations }: GraphQLError, code: FailureCode): ErrorEntry => ({
  message: clean(message),
  ...(locations === undefined ? {} : { locations }),
  extensions: { code },
})

const clean = createCleaner([])

/** A request of which nothing is run. (contract 7.3.7) */
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
