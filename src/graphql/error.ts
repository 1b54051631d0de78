// Errors in the form of GraphQL. (contract 7.3)

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
    readonly maxAgeSeconds?: number
  }
}

/** Details are relative to the input: `title`, `posts[3].title`, `ids[2]`. (contract 4.8.7) */
export function entryOf(failure: Failure, where: Partial<ErrorEntry> = {}, nameDetail?: NameDetail): ErrorEntry {
  const { code, maxAgeSeconds } = failure
  const { message, details } = describeFailure(failure, nameDetail)
  const extensions = {
    code,
    ...(details.length === 0 ? {} : { details }),
    ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
  }
  return { message, ...where, extensions }
}

/** An error of graphql-js, whose messages quote literals: these may contain secrets. */
export const entryOfGraphql = ({ message, locations }: GraphQLError, code: FailureCode): ErrorEntry => ({
  message: clean(message),
  ...(locations === undefined ? {} : { locations }),
  extensions: { code },
})

const clean = createCleaner([])

/** A refused request; nothing was run. (contract 7.3.9) */
export class Refusal extends Error {
  readonly errors: readonly ErrorEntry[]
  constructor(errors: readonly ErrorEntry[]) {
    super('The GraphQL request is refused.')
    this.errors = errors
  }
}

/** A bug becomes INTERNAL_ERROR and is logged in full. */
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
