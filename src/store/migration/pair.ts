// Columns of one field that are kept side by side, and remembered in the database. (contract 18.4)

import { bind, type Program, query } from '../store.ts'
import type { Held } from './conversion.ts'
import type { Existing } from './introspect.ts'

/** Two columns that triggers fill from each other. */
export interface Pair {
  readonly table: string
  /** The newer one. */
  readonly column: string
  readonly former: string
  readonly from: Held
  /** Changes with the triggers. */
  readonly version: string
}

const pairRows = query(`select name, position from duet_migration where kind = 'pair'`)

export function* readPairs(existing: Existing): Program<readonly Pair[]> {
  if (!existing.has('duet_migration')) return []
  return (yield bind(pairRows)).map(([, position]) => JSON.parse(String(position)))
}

export const pairOf = (
  { pairs }: { readonly pairs: readonly Pair[] },
  table: string,
  column: string,
): Pair | undefined => pairs.find((each) => each.table === table && (each.column === column || each.former === column))
