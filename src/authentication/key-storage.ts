// The signing keys' place in the database.

import { bind, command, type Engine, type Program, query, type Store } from '../store/store.ts'
import { type Algorithm, isAlgorithm, UnusableKey } from './signing-key.ts'

export interface StoredKey {
  /** 1 for the first key, one more for each that replaced it: of two instances that add one at once, one wins. */
  readonly sequence: number
  readonly kid: string
  readonly algorithm: Algorithm
  /** The private JWK. */
  readonly jwk: string
  readonly publishedAt: Date
}

export interface KeyStorage {
  load(): Promise<readonly StoredKey[]>
  /** Adds nothing where the sequence is taken: the first writer wins. */
  add(key: StoredKey): Promise<void>
  remove(kid: string): Promise<void>
}

/** Tables of this file, valid on both engines. Times are Unix milliseconds. */
export const keyTables: readonly string[] = [
  `create table if not exists duet_signing_key (
    sequence integer primary key,
    kid text not null unique,
    algorithm text not null,
    jwk text not null,
    published_at bigint not null
  )`,
]

export function createKeyStorage(store: Store): KeyStorage {
  const select = query('select sequence, kid, algorithm, jwk, published_at from duet_signing_key order by sequence')
  const insert = command(
    placeholders(
      store.engine,
      `insert into duet_signing_key (sequence, kid, algorithm, jwk, published_at) values (?, ?, ?, ?, ?)
        on conflict do nothing`,
    ),
  )
  const remove = command(placeholders(store.engine, 'delete from duet_signing_key where kid = ?'))

  function* load(): Program<readonly StoredKey[]> {
    const rows = yield bind(select)
    return rows.map(([sequence, kid, algorithm, jwk, publishedAt]) => {
      if (!isAlgorithm(algorithm)) throw new UnusableKey(`The stored signing key "${kid}" has an unknown algorithm.`)
      return {
        sequence: Number(sequence),
        kid: String(kid),
        algorithm,
        jwk: String(jwk),
        publishedAt: new Date(Number(publishedAt)),
      }
    })
  }
  function* add({ sequence, kid, algorithm, jwk, publishedAt }: StoredKey): Program<void> {
    yield bind(insert, sequence, kid, algorithm, jwk, publishedAt.getTime())
  }
  function* removeKey(kid: string): Program<void> {
    yield bind(remove, kid)
  }
  return {
    load: () => store.read(load()),
    add: (key) => store.write(() => add(key)),
    remove: (kid) => store.write(() => removeKey(kid)),
  }
}

/** SQL written with `?`, in the spelling of the engine. It must hold no other question mark. */
export function placeholders(engine: Engine, sql: string): string {
  let position = 0
  return engine === 'sqlite' ? sql : sql.replaceAll('?', () => `$${++position}`)
}
