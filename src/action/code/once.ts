// Runs work once per external key, such as the id of a provider's message. The key is written in the same transaction. (contract
// 13.3)

import { memoize } from '../../cache/memoize.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, type Program, query } from '../../store/store.ts'
import type { WriteScope } from '../write-scope.ts'

export const onceTable = {
  name: 'duet_once',
  key: 'key',
  moment: 'at',
  create: {
    sqlite: [
      'create table if not exists duet_once (key text primary key, at text not null) without rowid',
      'create index if not exists duet_once_age on duet_once (at)',
    ],
    postgres: [
      'create table if not exists duet_once (key text primary key, at timestamptz(3) not null)',
      'create index if not exists duet_once_age on duet_once (at)',
    ],
  },
}
const keyLengthMax = 255

const claimOf = memoize((dialect: Dialect) => {
  const values = [dialect.parameter(1), dialect.parameter(2)].join(', ')
  return query(`insert into duet_once (key, at) values (${values}) on conflict do nothing returning key`)
})

/** False if work with this key was committed before. A concurrent second attempt waits for the first. */
export function* claimOnce(
  key: string,
  { dialect, now, locks }: Pick<WriteScope, 'dialect' | 'now' | 'locks'>,
): Program<boolean> {
  if (typeof key !== 'string' || key === '' || key.length > keyLengthMax || key.includes('\0'))
    throw new Error(
      `The service's own code does something once for a key that is no text of 1 to ${keyLengthMax} characters.`,
    )
  const rows = yield bind(claimOf(dialect), key, dialect.encode(now, 'timestamp'))
  locks.last = 'end'
  return rows.length > 0
}
