// Deletes expired rows of tables of keys. (contract 4.7.10, 13.3)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, type Program, query } from '../../store/store.ts'

export interface ExpiringTable {
  readonly name: string
  /** The primary key. */
  readonly key: string
  /** When a row was written; an index begins with it. */
  readonly moment: string
}

/** Deletes at most `rowsMax` rows written before `before`; returns whether there may be more. */
export function* deleteOlder(
  { name, key, moment }: ExpiringTable,
  before: Date,
  rowsMax: number,
  dialect: Dialect,
): Program<boolean> {
  const old = `select ${key} from ${name} where ${moment} < ${dialect.parameter(1)} limit ${dialect.parameter(2)}`
  const rows = yield bind(
    query(`delete from ${name} where ${key} in (${old}) returning 1`),
    dialect.encode(before, 'timestamp'),
    rowsMax,
  )
  return rows.length === rowsMax
}
