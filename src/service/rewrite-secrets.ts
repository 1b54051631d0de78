// Encrypts stored secrets anew with the first key of DATA_KEY, so that a former one can be given up. (contract 11.4.1)

import { clearValue, storedValue } from '../action/encrypted-value.ts'
import { createDataCipher, type DataCipher, keyIdChars, keyIdOf } from '../encryption/data-cipher.ts'
import type { DataKeys } from '../encryption/data-key.ts'
import type { Column } from '../resource/model/column.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { dialectOf, quote } from '../store/sql/dialect.ts'
import { bind, command, query, rowsOf, type Store } from '../store/store.ts'

/** So many records are rewritten by one transaction: a running service waits for no longer. */
const batch = 100

/**
 * Rewrites every secret that a former key encrypted, those of deleted records among them, and answers how many. It may run beside the
 * service, and again after it was interrupted: what a client writes meanwhile stays. No version changes, for no value does. Rejects
 * where a value was encrypted with none of the keys; what was rewritten before stays so.
 */
export async function rewriteSecrets(store: Store, model: Model, keys: DataKeys): Promise<number> {
  const target = { keyId: keyIdOf(keys[0]), cipher: createDataCipher(keys) }
  let count = 0
  for (const resource of [...model.resources, ...model.unlisted])
    for (const column of resource.columns)
      if (column.encrypted) count += await rewriteColumn(store, resource, column, target)
  return count
}

async function rewriteColumn(
  store: Store,
  resource: ResourceModel,
  column: Column,
  { keyId, cipher }: { readonly keyId: string; readonly cipher: DataCipher },
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
