// Tables of keys that are forgotten when they are old. (contract 4.7.10, 13.3)

import type { Dialect } from '../store/sql/dialect.ts'
import { bind, type Program, query } from '../store/store.ts'

export interface ExpiringTable {
  readonly name: string
  /** The column of the primary key. */
  readonly key: string
  /** The column that says when a row was written; an index begins with it. */
  readonly moment: string
}

/** Deletes rows written before `before`, `rowsMax` of them at most; answers whether there may be more. */
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
