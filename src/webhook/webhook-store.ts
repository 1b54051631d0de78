// Reads webhooks with their owners, as the callers that they act as. (contract 15.2.3)

import { type Cipher, clearValue } from '../action/encrypted-value.ts'
import type { Actor, Confinement } from '../resource/actor.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { singleFactorIn } from '../resource/model/tenant/single-factor.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { accountState, tenantsNamedBy } from '../store/sql/text/holder-tenants.ts'
import { bind, type Program, query, type StoredRow, type Value } from '../store/store.ts'

export interface StoredWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly apiVersion: string
  readonly isPaused: boolean
  /** The account, or the tenant. */
  readonly ownerId: string
  readonly userId: string | null
  /** Null while the account may not sign in, or if the tenant is gone. */
  readonly actor: Actor | null
  /** Those that sign now: for a day after a rotation also the one before. */
  secrets(now: Date): readonly string[]
}
export type WebhookStore = ReturnType<typeof createWebhookStore>

const overlapMs = 24 * 3_600_000

export function createWebhookStore(
  { accounts, roles, resources }: Model,
  webhooks: ResourceModel,
  { dialect, cipher }: { readonly dialect: Dialect; readonly cipher: Cipher },
) {
  const column = (field: string) => `w.${quote(webhooks.column.get(field)!.name)}`
  const inside = tenantsNamedBy(webhooks, column)
  const singleFactor = singleFactorIn({ resources })
  const sql = statements(accounts, webhooks, { column, inside, dialect })
  function toWebhook(row: StoredRow): StoredWebhook {
    const [id, url, events, apiVersion, status, rotatedAt, signingKey, formerKey, user, roleInside, role, state] =
      row as readonly string[] & readonly (Value | null)[]
    const { found, isGone } = inside.tenantsIn(row.slice(12))
    const userId = user ?? null
    const isActive = role != null && !isGone && state === accounts.activeState
    const clear = (field: string, value: Value) =>
      clearValue(webhooks.column.get(field)!, value, webhooks, id!, cipher) as string
    const replacedAt = rotatedAt == null ? null : (dialect.decode(rotatedAt, 'timestamp') as Date)
    return {
      id: id!,
      url: url!,
      events: dialect.decode(events!, 'json') as readonly string[],
      apiVersion: apiVersion!,
      isPaused: status !== 'active',
      userId,
      ownerId: userId ?? found[0]?.id ?? id!,
      actor: userId === null ? memberOf(id!, found[0], roleInside) : isActive ? userOf(id!, userId, role) : null,
      secrets(now) {
        const isOverlapping = formerKey != null && replacedAt !== null && +now - +replacedAt < overlapMs
        const current = clear('signingKey', signingKey!)
        return isOverlapping ? [current, clear('formerKey', formerKey)] : [current]
      },
    }
  }

  function memberOf(keyId: string, tenant: Confinement | undefined, role: string | null | undefined): Actor | null {
    if (tenant === undefined || role == null) return null
    const nothing = { id: null, role: null, permissions: new Set<never>() }
    const inTenant = { id: tenant.id, resource: tenant.resource, role }
    return { ...nothing, scopes: new Set(['*']), credential: { kind: 'apiKey', keyId }, tenant: inTenant }
  }

  function userOf(keyId: string, id: string, role: string): Actor {
    const permissions = roles.get(role) ?? new Set()
    return { id, role, permissions, scopes: null, credential: { kind: 'apiKey', keyId }, ...singleFactor }
  }

  return {
    /** Webhooks that are not paused and want at least one of these events. */
    *listening(events: readonly string[]): Program<readonly StoredWebhook[]> {
      return (yield bind(sql.listening, dialect.keys(events))).map(toWebhook)
    },
    /** Null if it was deleted. */
    *find(id: string): Program<StoredWebhook | null> {
      const [row] = yield bind(sql.find, id)
      return row === undefined ? null : toWebhook(row)
    },
    /** False if it was paused or deleted before. */
    *pause(id: string, reason: string, now: Date): Program<boolean> {
      return (yield bind(sql.pause, reason, dialect.encode(now, 'timestamp'), id)).length > 0
    },
  }
}

interface Names {
  readonly column: (field: string) => string
  readonly inside: ReturnType<typeof tenantsNamedBy>
  readonly dialect: Dialect
}

/** The first twelve columns are those of the webhook and its account, then those of the tenants. */
function statements(accounts: Model['accounts'], webhooks: ResourceModel, { column, inside, dialect }: Names) {
  const p = dialect.parameter
  const names = ['url', 'events', 'apiVersion', 'status', 'rotatedAt', 'signingKey', 'formerKey', 'user']
  const own = [...names.map(column), webhooks.column.has('role') ? column('role') : 'null']
  const account = [`u.${quote(accounts.role.name)}`, accountState(accounts)]
  const select =
    `select w."id", ${[...own, ...account].join(', ')}${inside.columns} from ${quote(webhooks.table)} w ` +
    `left join ${quote(accounts.resource.table)} u on u."id" = ${column('user')} and u."deleted_at" is null${inside.joins} ` +
    'where w."deleted_at" is null and '
  const wanted =
    dialect.engine === 'sqlite'
      ? `exists (select 1 from json_each(${column('events')}) e where e.value in (select value from json_each(${p(1)})))`
      : `${column('events')}::jsonb ?| ${p(1)}::text[]`
  return {
    listening: query(`${select}${column('status')} = 'active' and ${wanted} order by w."id"`),
    find: query(`${select}w."id" = ${p(1)}`),
    pause: query(
      `update ${quote(webhooks.table)} set "status" = 'paused', "paused_reason" = ${p(1)}, "updated_at" = ${p(2)}, ` +
        `"version" = "version" + 1 where "id" = ${p(3)} and "status" = 'active' and "deleted_at" is null returning "id"`,
    ),
  }
}
