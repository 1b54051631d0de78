// Fills an empty database with rows.

import { insertRecord } from '../../../src/action/row/record.ts'
import { linkOf } from '../../../src/action/target/commit.ts'
import { hashOpaqueToken } from '../../../src/authentication/opaque-token.ts'
import type { Column } from '../../../src/resource/model/column.ts'
import { dialectOf, quote } from '../../../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../../../src/store/sql/write/write-statements.ts'
import { bind, command, type Store } from '../../../src/store/store.ts'
import { dataCipher } from '../server/data-key.ts'
import { codeOf, isToken } from './code.ts'
import { keptNumbers } from './kept-numbers.ts'
import { inOrder, type Rows } from './rows.ts'

/** Writes the rows into an empty database, deleted ones included. */
export async function insertRows(rows: Rows, store: Store): Promise<void> {
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  const ordered = inOrder(rows)
  if (ordered === null) throw new Error('Two records name each other.')
  await store.write(
    function* () {
      for (const row of ordered) {
        const { of, id, isDeleted } = row
        const record = { ...row.values, ...keptNumbers(row, rows) }
        const secrets = of.columns.filter((each) => each.secret && each.type === 'text')
        const hashOf = (each: Column) => (isToken(each) ? hashOpaqueToken(codeOf(each, id)) : `hash of ${id}`)
        const hashes = new Map(secrets.map((each) => [each.field, hashOf(each)]))
        yield* insertRecord(
          of,
          { record, hashes },
          { statements, dialect, cipher: dataCipher, numbers: new Map(), exclusions: new Map() },
        )
        if (isDeleted) yield bind(command(`update ${quote(of.table)} set deleted_at = created_at where id = '${id}'`))
      }
      for (const { relation, source, target } of rows.links)
        yield linkOf(relation, source, target, statements.link(relation.link))
    },
    { withoutTimeout: true },
  )
}
