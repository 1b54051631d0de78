// Conditions of indexes: about values of the record alone, written into the statement.

import type { RuleNode } from '../../../resource/language/rule/rule.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { fold } from '../../../resource/model/rule/condition.ts'
import { type Dialect, literal } from '../text/dialect.ts'
import { SqlText } from '../text/sql-text.ts'
import { conditionSql } from './condition.ts'

/** None without a rule. These rules do not depend on the actor. */
export function recordCondition(
  rule: RuleNode | null,
  resource: ResourceModel,
  alias: string,
  dialect: Dialect,
): readonly string[] {
  if (rule === null) return []
  const sql = new SqlText(dialect, (source) => (source.from === 'constant' ? literal(source.value) : null))
  return [conditionSql(fold(rule, resource, null), alias, sql)]
}
