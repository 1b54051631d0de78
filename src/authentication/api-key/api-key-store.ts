// Reads API keys with their owner, and stores their last use.

import { invariant } from '../../failure/failure.ts'
import type { Confinement, KeyTenant } from '../../resource/actor.ts'
import type { Model } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { accountState, tenantsNamedBy } from '../../store/sql/text/holder-tenants.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'

export interface StoredApiKey {
  readonly id: string
  readonly userId: string | null
  readonly tenant: KeyTenant | null
  /** The tenant that an account's key is narrowed to. */
  readonly confinedTo: Confinement | null
  readonly scopes: ReadonlySet<string>
  readonly expiresAt: Date | null
  readonly requestsPerHour: number | null
  readonly role: string | null
  /** The owner may sign in, or the tenant exists. */
  readonly isActive: boolean
}
export interface ApiKeyStore {
  /** Null if the key or its owner was deleted. */
  find(hash: string): Program<StoredApiKey | null>
  noteUse(uses: readonly (readonly [keyId: string, at: Date])[]): Program<void>
  /** Deletes the keys of this account, and its webhooks; returns the ids of the keys. */
  endOf(userId: string, now: Date): Program<readonly string[]>
}

export function createApiKeyStore({ byName, accounts }: Model, dialect: Dialect): ApiKeyStore {
  const resource = byName.get('ApiKey')
  invariant(resource !== undefined, "a model that is served has the library's own resources")
  const p = (number: number) => dialect.parameter(number)
  const [keys, users] = [resource.table, accounts.resource.table].map(quote)
  const column = (field: string) => `k.${quote(resource.column.get(field)!.name)}`
  const roleColumn = resource.column.get('role')
  const inside = tenantsNamedBy(resource, column)
  const tenantOf = (role: Value, [tenant, ...others]: readonly Confinement[]): KeyTenant | null =>
    typeof role === 'string' && tenant !== undefined && others.length === 0
      ? { id: tenant.id, resource: tenant.resource, role }
      : null
  const find = query(
    `select k."id", ${column('user')}, ${column('scopes')}, ${column('expiresAt')}, ${column('requestsPerHour')}, u.${quote(accounts.role.name)}, ` +
      `${accountState(accounts)}${roleColumn === undefined ? '' : `, k.${quote(roleColumn.name)}`}${inside.columns} from ${keys} k ` +
      `left join ${users} u on u."id" = ${column('user')} and u."deleted_at" is null${inside.joins} ` +
      `where ${column('key')} = ${p(1)} and k."deleted_at" is null`,
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
    *find(hash) {
      const [row] = yield bind(find, hash)
      if (row === undefined) return null
      const [id, userId, scopes, expiresAt, perHour, role, status, roleInside = null, ...tenantValues] = row as [
        string,
        string | null,
        Value,
        Value,
        Value,
        string | null,
        string | null,
        ...Value[],
      ]
      const { found, isGone } = inside.tenantsIn(tenantValues)
      const tenant = userId === null ? tenantOf(roleInside, found) : null
      return {
        id,
        userId,
        tenant,
        confinedTo: userId === null ? null : (found[0] ?? null),
        scopes: scopesOf(dialect.decode(scopes, 'json')),
        expiresAt: dialect.decode(expiresAt, 'timestamp') as Date | null,
        requestsPerHour: dialect.decode(perHour, 'integer') as number | null,
        role,
        isActive: tenant !== null || (roleInside === null && !isGone && status === accounts.activeState),
      }
    },
    *endOf(userId, now) {
      const values = [dialect.encode(now, 'timestamp'), userId] as const
      if (endWebhooks !== undefined) yield bind(endWebhooks, ...values)
      return (yield bind(endKeys!, ...values)).map(([id]) => String(id))
    },
    *noteUse(uses) {
      for (const [keyId, at] of uses) yield bind(noteUse, dialect.encode(at, 'timestamp'), keyId)
    },
  }
}

const scopesOf = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
