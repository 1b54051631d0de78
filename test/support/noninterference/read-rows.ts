// The records of a database as they are now, to see whether what happened in it can be seen.

import type { Model, ResourceModel } from '../../../src/resource/model/model.ts'
import { dialectOf, quote } from '../../../src/store/sql/text/dialect.ts'
import { bind, type Program, query, type Store } from '../../../src/store/store.ts'
import { type LinkRow, linkRelations, type Row, type Rows } from './rows.ts'

export async function readRows(resources: readonly ResourceModel[], model: Model, store: Store): Promise<Rows> {
  const dialect = dialectOf(store.engine)
  return store.read(
    (function* (): Program<Rows> {
      const records = new Map<string, Row>()
      for (const of of resources) {
        const columns = of.columns.filter((each) => !each.secret && !each.encrypted)
        const names = [...columns.map(({ name }) => quote(name)), '"deleted_at"']
        const text = `select ${names.join(', ')} from ${quote(of.table)}`
        for (const row of yield bind(query(text))) {
          const values = Object.fromEntries(
            columns.map(({ field, type }, index) => [field, dialect.decode(row[index]!, type)]),
          )
          const id = values['id'] as string
          records.set(id, { of, id, values, isDeleted: row[columns.length] !== null })
        }
      }
      const links: LinkRow[] = []
      for (const relation of linkRelations(model))
        for (const [source, target] of yield bind(
          query(`select "source_id", "target_id" from ${quote(relation.link.table)}`),
        ))
          links.push({ relation, source: source as string, target: target as string })
      return { records, links }
    })(),
  )
}
