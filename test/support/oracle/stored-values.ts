// Every stored value next to what its record makes of it now: an oracle that knows nothing of how they are kept.

import type { Model } from '../../../src/resource/model/model.ts'
import { storedColumns, storedValueOf } from '../../../src/resource/model/number/stored-value.ts'
import { foldedForm } from '../../../src/resource/model/search/folded.ts'
import { decodeValue, encodeValue, selectedSql } from '../../../src/store/sql/text/column-value.ts'
import { type Dialect, quote } from '../../../src/store/sql/text/dialect.ts'
import { bind, type Program, query } from '../../../src/store/store.ts'

/** A sentence for each that is wrong, of records that are not deleted. */
export function* wrongStoredValues(model: Model, dialect: Dialect): Program<readonly string[]> {
  const wrong: string[] = []
  for (const resource of model.byName.values()) {
    const { table, storedValues } = resource
    if (storedValues.length === 0) continue
    const kept = storedColumns(resource)
    const sources = storedValues.flatMap(({ from }) => from)
    const selected = [...kept, ...sources].map((each) => selectedSql(each, 't', dialect)).join(', ')
    const rows = yield bind(query(`select t."id", ${selected} from ${quote(table)} t where t."deleted_at" is null`))
    for (const [id, ...values] of rows) {
      const record = Object.fromEntries(
        sources.map((each, at) => [each.field, decodeValue(each, values[kept.length + at]!, dialect)]),
      )
      const made = new Map(storedValues.map((each) => [each.column, storedValueOf(each, record)]))
      for (const [at, column] of kept.entries()) {
        const is = values[at]
        const should =
          'of' in column ? foldedForm(column, made.get(column.of)) : encodeValue(column, made.get(column), dialect)
        const textOf = (value: unknown) => String('of' in column ? value : decodeValue(column, value as never, dialect))
        if (textOf(is) !== textOf(should)) wrong.push(`${id} ${column.name}: ${textOf(is)}, not ${textOf(should)}`)
      }
    }
  }
  return wrong
}
