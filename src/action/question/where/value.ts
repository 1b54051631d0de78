// Reads values to compare with: of the field's type and of any size. (contract 12.1.15)

import type { PartName, Problem, SpecBase } from '../../../resource/field/field.ts'
import { comparedOf, kindOf, writeValue } from '../../../resource/field/registry.ts'
import { isEmail } from '../../../resource/field/text.ts'
import type { WhereTest } from '../../../resource/language/rule/filter.ts'
import type { WhereValue } from '../../../resource/model/model.ts'
import { isTextTest } from '../../../resource/model/rule/where.ts'

/** From JSON to what callbacks see. */
export function readWhereValue(
  { spec }: WhereValue,
  test: WhereTest,
  sent: unknown,
  problem: Problem,
  part: PartName,
): unknown {
  const compared = isTextTest(test) ? partOfText : comparedOf(spec)
  // Code passes values as callbacks see them.
  const value = kindOf(compared).check(compared, writeValue(spec, sent), problem, part)
  // E-mail addresses are stored in lower case.
  return isEmail(spec) && typeof value === 'string' ? value.toLowerCase() : value
}

/** Not empty: every text holds the empty one. */
const partOfText: SpecBase = { kind: 'text' }
