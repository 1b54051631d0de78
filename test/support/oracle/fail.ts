// How an oracle refuses: with a code that the reference service has, and the sentence of that code.

import { GraphQLError } from 'graphql'
import { type CatalogueCode, catalogue } from '../../../src/failure/failure.ts'

export interface OracleDetail {
  readonly field: string
  readonly message: string
}
export type OracleCode = CatalogueCode | 'USER_NOT_FOUND'

const sentenceOf = (code: OracleCode): string =>
  code === 'USER_NOT_FOUND' ? 'There is no such user.' : catalogue[code].message

export function fail(code: OracleCode, message: string = sentenceOf(code), details?: readonly OracleDetail[]): never {
  throw new GraphQLError(message, { extensions: details === undefined ? { code } : { code, details } })
}
