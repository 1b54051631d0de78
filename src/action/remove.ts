// Deletes records and everything that requires them, in the same transaction. (contract 2.5.3)

import { Failure } from '../failure/failure.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { boundTo, type Prepared } from '../store/sql/sql-text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { OtherChange } from './context.ts'

/** So many records go in one statement. */
const chunk = 1_000

/**
 * Soft-deletes the records and, level by level, what requires them; clears optional relations to them; removes links.
 * Answers what else was deleted.
 * Fails with BUSINESS_RULE_VIOLATION where something that must stay refers to one of them.
 */
export function* remove(
  resource: ResourceModel,
  ids: readonly string[],
  now: Date,
  model: Model,
  statements: WriteStatements,
  dialect: Dialect,
): Program<readonly OtherChange[]> {
  const moment = dialect.encode(now, 'timestamp')
  const others: OtherChange[] = []
  const bound = (prepared: Prepared, keys: readonly string[]) =>
    boundTo(prepared, { actor: null, now: moment, keys: dialect.keys(keys) })
  yield bound(statements.remove(resource, resource.column.get('id')!), ids)
  const frontier: [ResourceModel, readonly string[]][] = [[resource, ids]]
  for (let next = frontier.shift(); next !== undefined; next = frontier.shift()) {
    const [gone, keys] = next
    for (const { holder, relation } of gone.referrers) {
      if (relation.onDelete === 'restrict') {
        const rows = yield bound(statements.refers(holder, relation.column), keys)
        if (rows.length > 0)
          throw new Failure('BUSINESS_RULE_VIOLATION', {
            message: `Some ${holder.path.replaceAll('-', ' ')} still need this record.`,
          })
      } else if (relation.onDelete === 'clear') {
        yield bound(statements.clear(holder, relation.column), keys)
      } else {
        const rows = yield bound(statements.remove(holder, relation.column), keys)
        for (const [id] of rows) others.push({ resource: holder, id: id as string, change: null })
        for (let at = 0; at < rows.length; at += chunk) {
          frontier.push([holder, rows.slice(at, at + chunk).map((row) => row[0] as string)])
        }
      }
    }
    for (const link of model.links) {
      if (link.source === gone) yield bound(statements.unlinkAll(link, 'source'), keys)
      if (link.target === gone) yield bound(statements.unlinkAll(link, 'target'), keys)
    }
  }
  return others
}
