// API keys in the database: read together with whom they belong to, and their last use stored.

import { invariant } from '../../failure/failure.ts'
import type { KeyTenant } from '../../resource/actor.ts'
import type { Model } from '../../resource/model/model.ts'
import { tenantRelations } from '../../resource/model/tenant-key.ts'
import { type Dialect, quote } from '../../store/sql/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'

export interface StoredApiKey {
  readonly id: string
  /** Null for a key that belongs to a tenant. */
  readonly userId: string | null
  readonly tenant: KeyTenant | null
  readonly scopes: ReadonlySet<string>
  readonly expiresAt: Date | null
  /** The owner's; null where that is a tenant. */
  readonly role: string | null
  /** The owner may sign in, or the tenant is there. */
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
  // Whose keys they can be besides: a service without tenants has none of these.
  const tenants = tenantRelations(resource)
  const roleColumn = resource.column.get('role')
  const tenantColumns = [
    ...(roleColumn === undefined ? [] : [`k.${quote(roleColumn.name)}`]),
    ...tenants.map((_, index) => `t${index}."id"`),
  ]
    .map((each) => `, ${each}`)
    .join('')
  const tenantJoins = tenants
    .map(({ target, field }, index) => {
      const at = `t${index}`
      return ` left join ${quote(target.table)} ${at} on ${at}."id" = ${column(field)} and ${at}."deleted_at" is null`
    })
    .join('')
  const tenantOf = (role: Value, ids: readonly Value[]): KeyTenant | null => {
    const references = tenants.flatMap(({ target }, index) => {
      const id = ids[index]
      return typeof id === 'string' ? [{ id, resource: target.name }] : []
    })
    return typeof role === 'string' && references.length === 1 ? { ...references[0]!, role } : null
  }
  const find = query(
    `select k."id", ${column('user')}, ${column('scopes')}, ${column('expiresAt')}, u.${quote(accounts.role.name)}, ` +
      `u.${quote(accounts.status.name)}${tenantColumns} from ${keys} k ` +
      `left join ${users} u on u."id" = ${column('user')} and u."deleted_at" is null${tenantJoins} ` +
      `where ${column('key')} = ${p(1)} and k."deleted_at" is null`,
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
      const [id, userId, scopes, expiresAt, role, status, roleInside = null, ...tenantIds] = row as [
        string,
        string | null,
        Value,
        Value,
        string | null,
        string | null,
        ...Value[],
      ]
      const tenant = userId === null ? tenantOf(roleInside, tenantIds) : null
      return {
        id,
        userId,
        tenant,
        scopes: scopesOf(dialect.decode(scopes, 'json')),
        expiresAt: dialect.decode(expiresAt, 'timestamp') as Date | null,
        role,
        isActive: tenant !== null || (roleInside === null && status === accounts.activeState),
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
