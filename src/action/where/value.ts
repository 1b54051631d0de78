// Reads the values that a question compares with, as the field would have them.

import type { PartName, Problem, SpecBase } from '../../resource/field/field.ts'
import { charsMaxOf, kindOf, writeValue } from '../../resource/field/registry.ts'
import type { WhereTest } from '../../resource/language/filter.ts'
import type { WhereValue } from '../../resource/model/model.ts'

/** A value as JSON has it, as callbacks see it. What a text begins with need not be a text that the field could hold. */
export function readWhereValue(
  { spec }: WhereValue,
  test: WhereTest,
  sent: unknown,
  problem: Problem,
  part: PartName,
): unknown {
  // Code says values as callbacks see them.
  if (test !== 'startsWith') return kindOf(spec).check(spec, writeValue(spec, sent), problem, part)
  const beginning: SpecBase & { readonly max: number } = { kind: 'text', max: charsMaxOf(spec) }
  const value = kindOf(beginning).check(beginning, sent, problem, part)
  // Addresses are kept in small letters.
  const isSmall = (spec as SpecBase & { readonly format?: string }).format === 'email'
  return isSmall && typeof value === 'string' ? value.toLowerCase() : value
}
