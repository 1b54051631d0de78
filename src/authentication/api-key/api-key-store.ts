// API keys in the database: read together with their owner, and their last use stored.

import { invariant } from '../../failure/failure.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'

export interface StoredApiKey {
  readonly id: string
  readonly userId: string
  readonly scopes: ReadonlySet<string>
  readonly expiresAt: Date | null
  readonly role: string
  /** The owner may sign in. */
  readonly isActive: boolean
}
export interface ApiKeyStore {
  /** The key with this hash, unless it or its owner was deleted. */
  find(hash: string): Program<StoredApiKey | null>
  noteUse(uses: readonly (readonly [keyId: string, at: Date])[]): Program<void>
}

export function createApiKeyStore({ byName, accounts }: Model, dialect: Dialect): ApiKeyStore {
  const resource = byName.get('ApiKey')
  invariant(resource !== undefined, "a model that is served has the library's own resources")
  const p = (number: number) => dialect.parameter(number)
  const [keys, users] = [resource.table, accounts.resource.table].map(quote)
  const column = (field: string) => `k.${quote(resource.column.get(field)!.name)}`
  const find = query(
    `select k."id", ${column('user')}, ${column('scopes')}, ${column('expiresAt')}, u.${quote(accounts.role.name)}, u.${quote(accounts.status.name)} ` +
      `from ${keys} k join ${users} u on u."id" = ${column('user')} ` +
      `where ${column('key')} = ${p(1)} and k."deleted_at" is null and u."deleted_at" is null`,
  )
  // Raises the version, so that a conditional read does not answer 304 for the older one.
  const noteUse = command(
    `update ${keys} set "last_used_at" = ${p(1)}, "version" = "version" + 1 ` +
      `where "id" = ${p(2)} and "deleted_at" is null and ("last_used_at" is null or "last_used_at" < ${p(1)})`,
  )
  return {
    *find(hash) {
      const [row] = yield bind(find, hash)
      if (row === undefined) return null
      const [id, userId, scopes, expiresAt, role, status] = row as [string, string, Value, Value, string, string]
      return {
        id,
        userId,
        scopes: scopesOf(dialect.decode(scopes, 'json')),
        expiresAt: dialect.decode(expiresAt, 'timestamp') as Date | null,
        role,
        isActive: status === accounts.activeState,
      }
    },
    *noteUse(uses) {
      for (const [keyId, at] of uses) yield bind(noteUse, dialect.encode(at, 'timestamp'), keyId)
    },
  }
}

/** Anything but a list of texts grants nothing. */
const scopesOf = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
