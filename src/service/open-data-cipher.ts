// The cipher of what this service keeps encrypted, with the keys of DATA_KEY.

import { createDataCipher, type DataCipher } from '../encryption/data-cipher.ts'
import { type DataKeys, keepDataKey, makeDataKey } from '../encryption/data-key.ts'
import { ConfigurationError } from './configuration.ts'
import type { OpenContext } from './open-context.ts'

type CipherContext = Pick<OpenContext, 'configuration' | 'model' | 'reactionDefinitions' | 'log'>

/** Null where nothing is encrypted. Fails with ConfigurationError where there is no key, and none can be made. */
export function openDataCipher(context: CipherContext): DataCipher | null {
  const use = encryptedBy(context)
  return use === null ? null : createDataCipher(context.configuration.dataKeys ?? madeKeys(use, context))
}

/** What is encrypted, for people; null where nothing is. */
function encryptedBy({ model, reactionDefinitions }: CipherContext): string | null {
  for (const { name, columns } of [...model.resources, ...model.unlisted])
    for (const { field, encrypted } of columns) if (encrypted) return `${field} of ${name}`
  const reaction = [...reactionDefinitions.values()].find(({ tokens }) => tokens.length > 0)
  return reaction === undefined
    ? null
    : `the ${reaction.tokens.join(' and ')} that the reaction ${reaction.name} is handed`
}

/** Development keeps a key beside its database file; a database in memory is gone with the process, and so is its key. */
function madeKeys(use: string, { configuration, log }: CipherContext): DataKeys {
  const { production, databaseUrl } = configuration
  if (production) throw new ConfigurationError(`DATA_KEY must be set in production: ${use} is encrypted with it.`)
  if (databaseUrl === 'sqlite::memory:') return [makeDataKey()]
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl) ?? []
  if (path === undefined)
    throw new ConfigurationError(
      `DATA_KEY must be set: ${use} is encrypted with it, and there is no database file to keep a key beside.`,
    )
  const file = `${path}.key`
  const { keys, isNew } = keepDataKey(file)
  if (isNew) log.info(`DATA_KEY is not set: ${file} holds a new key, with which ${use} is encrypted.`)
  return keys
}
