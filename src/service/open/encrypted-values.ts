// Finds the keys of stored encrypted values: each begins with its key's id. (contract 0.1.7)

import { totpSecretTables } from '../../authentication/method/factor/totp-store.ts'
import { keyIdChars, keyIdOf } from '../../encryption/data-cipher.ts'
import type { DataKeys } from '../../encryption/data-key.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Dialect, dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, query, rowsOf, type Store } from '../../store/store.ts'

/** The keys in use; a start searches stored values only if its keys differ. */
export const dataKeyTable = {
  create: {
    sqlite: ['create table if not exists duet_data_key (id text primary key) without rowid'],
    postgres: ['create table if not exists duet_data_key (id text primary key)'],
  },
}

export interface EncryptedValues {
  /** Such as `3 values of Hook.key`. */
  readonly what: string
  readonly keyId: string
}

/** All encrypted values by key, including those of deleted records and tokens for reactions. */
export async function encryptedValues(store: Store, model: Model): Promise<readonly EncryptedValues[]> {
  const fields = [...model.resources, ...model.unlisted].flatMap(({ name, table, columns }) =>
    columns.flatMap(({ field, name: column, encrypted }) =>
      encrypted ? { what: `${name}.${field}`, table, column } : [],
    ),
  )
  const apps = model.accounts.methods?.totp ? totpSecretTables : []
  const places = [
    ...fields,
    { what: 'tokens of reactions', table: 'duet_reaction_token', column: 'tokens' },
    ...apps.map((table) => ({ what: 'secrets of authenticator apps', table, column: 'secret' })),
  ]
  const found: EncryptedValues[] = []
  for (const { what, table, column } of places) {
    const keyId = `substr(${quote(column)}, 1, ${keyIdChars})`
    const counts = query(`select ${keyId}, count(*) from ${quote(table)} where ${quote(column)} is not null group by 1`)
    for (const [id, count] of await store.read(rowsOf(counts)))
      found.push({ what: `${Number(count)} ${Number(count) === 1 ? 'value' : 'values'} of ${what}`, keyId: String(id) })
  }
  return found
}

/** The message of `duet doctor` and of a refused start. */
export const unreadable = ({ what, keyId }: EncryptedValues): string =>
  `${what} cannot be read: DATA_KEY lacks the key ${keyId}.`

/** Values that none of these keys decrypts. Searched only if other keys were in use. */
export async function unreadableValues(
  store: Store,
  model: Model,
  keys: DataKeys | null,
): Promise<readonly EncryptedValues[]> {
  const ids = (keys ?? []).map(keyIdOf)
  const usedIds = (await store.read(rowsOf(query('select id from duet_data_key')))).map(([id]) => String(id))
  if (usedIds.length > 0 && usedIds.every((id) => ids.includes(id))) return []
  return (await encryptedValues(store, model)).filter(({ keyId }) => !ids.includes(keyId))
}

export async function rememberKeys(store: Store, keys: DataKeys): Promise<void> {
  const dialect: Dialect = dialectOf(store.engine)
  const ids = keys.map(keyIdOf)
  const usedIds = (await store.read(rowsOf(query('select id from duet_data_key')))).map(([id]) => String(id))
  const added = ids.filter((id) => !usedIds.includes(id))
  const removed = usedIds.filter((id) => !ids.includes(id))
  if (added.length + removed.length === 0) return
  const p = dialect.parameter(1)
  const add = command(`insert into duet_data_key (id) values (${p}) on conflict do nothing`)
  const remove = command(`delete from duet_data_key where id = ${p}`)
  await store.write(function* () {
    for (const id of added) yield bind(add, id)
    for (const id of removed) yield bind(remove, id)
  })
}
