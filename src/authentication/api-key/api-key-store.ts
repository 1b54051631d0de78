// Reads API keys with their owner, and stores their last use.

import { invariant } from '../../failure/failure.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { type Holder, holdersOf } from '../../store/sql/text/key-holder.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'

export interface StoredApiKey extends Holder {
  readonly id: string
  readonly expiresAt: Date | null
}
export type ApiKeyStore = ReturnType<typeof createApiKeyStore>

export function createApiKeyStore(model: Model, dialect: Dialect) {
  const { byName } = model
  const resource = byName.get('ApiKey')
  invariant(resource !== undefined, "a model that is served has the library's own resources")
  const p = (number: number) => dialect.parameter(number)
  const keys = quote(resource.table)
  const column = (field: string) => `k.${quote(resource.column.get(field)!.name)}`
  const holders = holdersOf(resource, column, model)
  const find = query(
    `select k."id", ${['scopes', 'expiresAt', 'requestsPerHour'].map(column).join(', ')}, ${holders.columns} ` +
      `from ${keys} k${holders.joins} where ${column('key')} = ${p(1)} and k."deleted_at" is null`,
  )
  // Raises the version, otherwise a conditional read would answer 304 with the old time.
  const noteUse = command(
    `update ${keys} set "last_used_at" = ${p(1)}, "version" = "version" + 1 ` +
      `where "id" = ${p(2)} and "deleted_at" is null and ("last_used_at" is null or "last_used_at" < ${p(1)})`,
  )
  const webhook = byName.get('Webhook')
  const [endKeys, endWebhooks] = [resource, ...(webhook?.isCredential ? [webhook] : [])].map(({ table, column }) =>
    query(
      `update ${quote(table)} set "deleted_at" = ${p(1)}, "updated_at" = ${p(1)}, "version" = "version" + 1 ` +
        `where ${quote(column.get('user')!.name)} = ${p(2)} and "deleted_at" is null returning "id"`,
    ),
  )
  return {
    /** Null if the key was deleted. */
    *find(hash: string): Program<StoredApiKey | null> {
      const [row] = yield bind(find, hash)
      if (row === undefined) return null
      const [id, scopes, expiresAt, perHour, ...held] = row as [string, Value, Value, Value, ...Value[]]
      const requestsPerHour = dialect.decode(perHour, 'integer') as number | null
      const credential = { kind: 'apiKey', keyId: id, requestsPerHour } as const
      const holder = holders.read(held, credential, scopesOf(dialect.decode(scopes, 'json')))
      return { ...holder, id, expiresAt: dialect.decode(expiresAt, 'timestamp') as Date | null }
    },
    /** Deletes the keys of this account, and its webhooks; returns the ids of the keys. */
    *endOf(userId: string, now: Date): Program<readonly string[]> {
      const values = [dialect.encode(now, 'timestamp'), userId] as const
      if (endWebhooks !== undefined) yield bind(endWebhooks, ...values)
      return (yield bind(endKeys!, ...values)).map(([id]) => String(id))
    },
    *noteUse(uses: readonly (readonly [keyId: string, at: Date])[]): Program<void> {
      for (const [keyId, at] of uses) yield bind(noteUse, dialect.encode(at, 'timestamp'), keyId)
    },
  }
}

const scopesOf = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
