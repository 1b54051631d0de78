// Opens the cipher for encrypted values, with the keys of DATA_KEY.

import { createDataCipher, type DataCipher } from '../../encryption/data-cipher.ts'
import { keepDataKey, makeDataKey, readDataKey } from '../../encryption/data-key.ts'
import { ConfigurationError } from '../configuration/configuration.ts'
import { encryptedBy, keyFile } from '../configuration/data-key-source.ts'
import { rememberKeys, unreadable, unreadableValues } from './encrypted-values.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'

type CipherContext = Pick<OpenContext, 'configuration' | 'model' | 'reactions' | 'log'>

/** Null if nothing is encrypted. Fails with ConfigurationError if stored values cannot be decrypted. */
export async function openDataCipher(
  context: CipherContext,
  { store }: Pick<Database, 'store'>,
): Promise<DataCipher | null> {
  const use = encryptedBy(context)
  if (use === null) return null
  const { model, configuration, log } = context
  const file = configuration.dataKeys === null ? keyFile(use, configuration) : null
  const existing = configuration.dataKeys ?? (file === null ? null : readDataKey(file))
  const [values] = await unreadableValues(store, model, existing)
  if (values !== undefined) {
    const remedy = existing === null && file !== null ? `Put back the file ${file}.` : 'Put it behind the first.'
    throw new ConfigurationError(`${unreadable(values)} ${remedy}`)
  }
  const keys = existing ?? (file === null ? ([makeDataKey()] as const) : keepDataKey(file))
  if (existing === null && file !== null)
    log.info(`DATA_KEY is not set: ${file} holds a new key, with which ${use} is encrypted.`)
  await rememberKeys(store, keys)
  return createDataCipher(keys)
}
