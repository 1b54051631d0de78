// Databases in which a question takes long.

import { bind, command, type Program } from '../../../src/store/store.ts'
import type { TestService } from '../server/service.ts'

/** Makes so many copies of a record, for SQLite to look at one by one. */
export async function copyRecord(
  { model, store }: TestService,
  name: string,
  id: string,
  count: number,
): Promise<void> {
  const { columns, folded, prefix, table } = model.byName.get(name)!
  const others = [...columns, ...folded].filter(({ field, name: column }) => field !== 'id' || column !== 'id')
  const list = [...others.map((each) => `"${each.name}"`), 'version'].join(', ')
  const numbers = `(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c) s`
  const copies = `select '${prefix}_' || printf('%026d', s.n), ${list} from "${table}" t, ${numbers} where t.id = '${id}'`
  await store.write(function* () {
    yield bind(command(`insert into "${table}" (id, ${list}) ${copies}`))
  })
}

/** PostgreSQL finds a better way, and has to wait. */
export async function whileLocked({ store }: TestService, table: string, ask: () => Promise<void>): Promise<void> {
  const program = function* (): Program<void> {
    yield bind(command(`lock table ${table} in access exclusive mode`))
    yield { run: ask }
  }
  await store.write(program, { exclusive: true, withoutTimeout: true })
}
