// Finds the key for encrypted values: DATA_KEY, or in development a file. Needs no database. (contract 0.1.7)

import type { ReactionDefinition } from '../../reaction/definition.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'

interface Encrypting {
  readonly model: Model
  readonly reactions: ReadonlyMap<string, ReactionDefinition>
}
type KeyConfiguration = Pick<Configuration, 'production' | 'databaseUrl' | 'dataKeys'>

/** Fails with ConfigurationError if a key is needed and can be neither found nor created. */
export function requireDataKey(encrypting: Encrypting, configuration: KeyConfiguration): void {
  const use = configuration.dataKeys === null ? encryptedBy(encrypting) : null
  if (use !== null) keyFile(use, configuration)
}

export function encryptedBy({ model, reactions }: Encrypting): string | null {
  for (const { name, columns } of [...model.resources, ...model.unlisted])
    for (const { field, encrypted } of columns) if (encrypted) return `${field} of ${name}`
  if (model.accounts.methods?.totp) return 'the secret of an authenticator app'
  const reaction = [...reactions.values()].find(({ tokens }) => tokens.length > 0)
  return reaction === undefined
    ? null
    : `the ${reaction.tokens.join(' and ')} that the reaction ${reaction.name} is handed`
}

/** The key file of development, next to the database file; null for a database in memory, whose key is not kept. */
export function keyFile(use: string, { production, databaseUrl }: KeyConfiguration): string | null {
  if (production) throw new ConfigurationError(`DATA_KEY must be set in production: ${use} is encrypted with it.`)
  if (databaseUrl === 'sqlite::memory:') return null
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl) ?? []
  if (path !== undefined) return `${path}.key`
  throw new ConfigurationError(
    `DATA_KEY must be set: ${use} is encrypted with it, and there is no database file to keep a key next to.`,
  )
}
