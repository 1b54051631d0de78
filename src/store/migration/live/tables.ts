// What migrations keep in the database: the lease of the one that runs, fills that have begun, what was removed; and instances.

import type { TableDefinition } from '../../sql/schema/schema.ts'
import { createInstances } from '../instances.ts'

const columns = 'kind text not null, name text not null, position text not null'

export const migrationTables: TableDefinition = {
  create: {
    sqlite: [
      `create table if not exists duet_migration (${columns}, at text not null, primary key (kind, name)) without rowid`,
    ],
    postgres: [
      `create table if not exists duet_migration (${columns}, at timestamptz(3) not null, primary key (kind, name))`,
      createInstances,
    ],
  },
}
