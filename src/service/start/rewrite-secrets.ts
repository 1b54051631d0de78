// Re-encrypts stored secrets with the first key of DATA_KEY, so that an old key can be removed. (contract 11.4.1)

import { clearValue, storedValue } from '../../action/encrypted-value.ts'
import { totpAbout, totpSecretTables } from '../../authentication/method/factor/totp-store.ts'
import { createDataCipher, type DataCipher, keyIdChars, keyIdOf } from '../../encryption/data-cipher.ts'
import type { DataKeys } from '../../encryption/data-key.ts'
import type { Column } from '../../resource/model/column.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, query, rowsOf, type Store } from '../../store/store.ts'

interface Target {
  readonly keyId: string
  readonly cipher: DataCipher
}
/** Records per transaction, to keep it short for a running service. */
const batch = 100

/**
 * Re-encrypts the secrets of other keys, including those of deleted records, and returns their number. Safe beside a running
 * service and after an interruption: concurrent writes are kept. Versions do not change, as values do not. Rejects if none of the
 * keys decrypts a value; earlier batches stay re-encrypted.
 */
export async function rewriteSecrets(store: Store, model: Model, keys: DataKeys): Promise<number> {
  const target = { keyId: keyIdOf(keys[0]), cipher: createDataCipher(keys) }
  let count = 0
  for (const resource of [...model.resources, ...model.unlisted])
    for (const column of resource.columns)
      if (column.encrypted) count += await rewriteColumn(store, resource, column, target)
  if (model.accounts.methods?.totp)
    for (const table of totpSecretTables) count += await rewriteTotps(store, table, target)
  return count
}

async function rewriteTotps(store: Store, table: string, { keyId, cipher }: Target): Promise<number> {
  const { parameter: p } = dialectOf(store.engine)
  const select = query(
    `select user_id, secret from ${table} where substr(secret, 1, ${keyIdChars}) <> ${p(1)} limit ${batch}`,
  )
  const update = command(`update ${table} set secret = ${p(1)} where user_id = ${p(2)} and secret = ${p(3)}`)
  let count = 0
  for (;;) {
    const rows = await store.read(rowsOf(select, keyId))
    const changes = rows.map(([userId, stored]) => {
      const about = `${totpAbout}${userId}`
      return bind(update, cipher.encrypt(cipher.decrypt(String(stored), about), about), userId!, stored!)
    })
    if (changes.length === 0) return count
    await store.write(function* rewrite() {
      for (const change of changes) yield change
    })
    count += rows.length
  }
}

async function rewriteColumn(
  store: Store,
  resource: ResourceModel,
  column: Column,
  { keyId, cipher }: Target,
): Promise<number> {
  const { parameter: p } = dialectOf(store.engine)
  const [table, name] = [quote(resource.table), quote(column.name)]
  const select = query(
    `select id, ${name} from ${table} where ${name} is not null and substr(${name}, 1, ${keyIdChars}) <> ${p(1)} and id > ${p(2)} ` +
      `order by id limit ${batch}`,
  )
  const update = command(`update ${table} set ${name} = ${p(1)} where id = ${p(2)} and ${name} = ${p(3)}`)
  let count = 0
  let last = ''
  for (;;) {
    const rows = await store.read(rowsOf(select, keyId, last))
    const changes = rows.map(([id, stored]) => {
      const clear = clearValue(column, stored, resource, String(id), cipher)
      return bind(update, storedValue(column, clear, String(id), cipher) as string, String(id), String(stored))
    })
    if (changes.length > 0)
      await store.write(function* rewrite() {
        for (const change of changes) yield change
      })
    count += rows.length
    if (rows.length < batch) return count
    last = String(rows.at(-1)![0])
  }
}
