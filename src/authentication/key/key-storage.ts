// The signing keys in the database.

import { dialectOf } from '../../store/sql/text/dialect.ts'
import { command, query, rowsOf, type Statement, type Store, type Value } from '../../store/store.ts'

export interface StoredKey {
  /** 1 for the first key, then increasing. Unique, so that only one of two concurrent inserts succeeds. */
  readonly sequence: number
  readonly kid: string
  /** Unknown ones are of another release. (contract 0.2.9) */
  readonly algorithm: string
  readonly jwk: string
  readonly publishedAt: Date
}

export type KeyStorage = ReturnType<typeof createKeyStorage>

const createTable =
  'create table if not exists duet_signing_key (sequence integer primary key, kid text not null unique, ' +
  'algorithm text not null, jwk text not null, published_at bigint not null)'
/** `published_at` is in Unix milliseconds. */
export const keyTable = { name: 'duet_signing_key', create: { sqlite: [createTable], postgres: [createTable] } }

export function createKeyStorage(store: Store) {
  const p = dialectOf(store.engine).parameter
  const select = query('select sequence, kid, algorithm, jwk, published_at from duet_signing_key order by sequence')
  const insert = command(
    'insert into duet_signing_key (sequence, kid, algorithm, jwk, published_at) ' +
      `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}) on conflict do nothing`,
  )
  const remove = command(`delete from duet_signing_key where kid = ${p(1)}`)

  const run = (statement: Statement, ...values: readonly Value[]) => store.write(() => rowsOf(statement, ...values))

  return {
    async load(): Promise<readonly StoredKey[]> {
      const rows = await store.read(rowsOf(select))
      return rows.map(([sequence, kid, algorithm, jwk, publishedAt]) => ({
        sequence: Number(sequence),
        kid: String(kid),
        algorithm: String(algorithm),
        jwk: String(jwk),
        publishedAt: new Date(Number(publishedAt)),
      }))
    },
    /** Does nothing if the sequence is taken. */
    async add({ sequence, kid, algorithm, jwk, publishedAt }: StoredKey): Promise<void> {
      await run(insert, sequence, kid, algorithm, jwk, publishedAt.getTime())
    },
    async remove(kid: string): Promise<void> {
      await run(remove, kid)
    },
  }
}
