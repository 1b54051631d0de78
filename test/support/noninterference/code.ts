// Access codes: tokens of the records that a comparison begins with, each known by what it belongs to. (contract 10.1.14)

import { hashOpaqueToken } from '../../../src/authentication/opaque-token.ts'
import type { TokenSpec } from '../../../src/resource/field/secret.ts'
import type { Column } from '../../../src/resource/model/column.ts'
import type { Model, ResourceModel } from '../../../src/resource/model/model.ts'
import { codePrefixes } from '../../../src/resource/model/rule/access-code.ts'

export const isToken = ({ spec }: Column): boolean => spec.kind === 'token'

/** The token of the record with this id. */
export const codeOf = ({ field, spec }: Column, id: string): string =>
  (spec as TokenSpec).prefix + hashOpaqueToken(`${field} of ${id}`)

/** The records whose token is one of these. */
export const recordsOfCodes = <R extends { readonly of: ResourceModel; readonly id: string }>(
  records: Iterable<R>,
  codes: readonly string[],
): readonly R[] =>
  [...records].filter(({ of, id }) => of.columns.some((each) => isToken(each) && codes.includes(codeOf(each, id))))

/** The tokens of these records that rules ask for. */
export function codesOf(
  model: Model,
  records: Iterable<{ readonly of: ResourceModel; readonly id: string }>,
): readonly string[] {
  const prefixes = codePrefixes(model)
  return [...records].flatMap(({ of, id }) =>
    of.columns
      .filter((column) => isToken(column) && prefixes.has((column.spec as TokenSpec).prefix))
      .map((column) => codeOf(column, id)),
  )
}
