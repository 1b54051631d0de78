// Reads webhooks with their owners, as the callers that they act as. (contract 15.2.3)

import { type Cipher, clearValue } from '../action/encrypted-value.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { type Holder, holdersOf } from '../store/sql/text/key-holder.ts'
import { bind, type Program, query, type StoredRow } from '../store/store.ts'

export interface StoredWebhook extends Holder {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly apiVersion: string
  readonly isPaused: boolean
  readonly ownerId: string
  /** Those that sign now: for a day after a rotation also the one before. */
  secrets(now: Date): readonly string[]
}
export interface WebhookStoreDependencies {
  readonly dialect: Dialect
  readonly cipher: Cipher
}
export type WebhookStore = ReturnType<typeof createWebhookStore>

const overlapMs = 24 * 3_600_000

export function createWebhookStore(
  model: Model,
  webhooks: ResourceModel,
  { dialect, cipher }: WebhookStoreDependencies,
) {
  const column = (field: string) => `w.${quote(webhooks.column.get(field)!.name)}`
  const holders = holdersOf(webhooks, column, model)
  const sql = statements(webhooks, column, holders, dialect)
  function toWebhook(row: StoredRow): StoredWebhook {
    const [id, url, events, apiVersion, status, rotatedAt, signingKey, formerKey] = row as readonly string[]
    const clear = (field: string, value: string) =>
      clearValue(webhooks.column.get(field)!, value, webhooks, id!, cipher) as string
    const replacedAt = dialect.decode(rotatedAt!, 'timestamp') as Date | null
    const holder = holders.read(row.slice(8), { kind: 'apiKey', keyId: id! }, null)
    return {
      ...holder,
      ownerId: holder.ownerId ?? id!,
      id: id!,
      url: url!,
      events: dialect.decode(events!, 'json') as readonly string[],
      apiVersion: apiVersion!,
      isPaused: status !== 'active',
      secrets(now) {
        const isOverlapping = formerKey != null && replacedAt !== null && +now - +replacedAt < overlapMs
        const current = clear('signingKey', signingKey!)
        return isOverlapping ? [current, clear('formerKey', formerKey)] : [current]
      },
    }
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

/** The first eight columns are those of the webhook, then those of its holder. */
function statements(
  webhooks: ResourceModel,
  column: (field: string) => string,
  { columns, joins }: ReturnType<typeof holdersOf>,
  dialect: Dialect,
) {
  const p = dialect.parameter
  const own = ['url', 'events', 'apiVersion', 'status', 'rotatedAt', 'signingKey', 'formerKey'].map(column)
  const select =
    `select w."id", ${own.join(', ')}, ${columns} from ${quote(webhooks.table)} w${joins} ` +
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
