// Uses in the database: one row per part, client and day, for all instances.

import { hash } from 'node:crypto'
import type { ResourceModel } from '../resource/model/model.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store/store.ts'
import type { UseGroup } from './gather.ts'
import type { UseCount } from './tally.ts'

/** A count to store, with the earliest removal. */
export interface Written extends UseCount {
  readonly removableFrom: string
}
export interface UsageStore {
  /** Adds to existing counts. */
  add(counts: readonly Written[], now: Date): Program<void>
  /** Summed over days; at most `max` groups. */
  groups(max: number): Program<readonly UseGroup[]>
  /** Deletes a batch of older counts; true if there may be more. */
  forget(before: Date, max: number): Program<boolean>
}

/** The maximum of an `integer` field. */
const countMax = 2_147_483_647

export function createUsageStore(resource: ResourceModel, dialect: Dialect): UsageStore {
  const table = quote(resource.table)
  const p = (number: number) => dialect.parameter(number)
  const names = ['id', 'what', 'principal', 'client', 'day', 'count', 'removable_from', 'created_at', 'updated_at']
  const sum = `${table}."count" + excluded."count"`
  const insert = command(
    `insert into ${table} (${names.map(quote).join(', ')}) values (${names.map((_, index) => p(index + 1)).join(', ')}) ` +
      `on conflict ("id") do update set "count" = case when ${table}."count" > ${countMax} - excluded."count" then ${countMax} else ${sum} end, ` +
      `"updated_at" = excluded."updated_at", "version" = ${table}."version" + 1 where excluded."count" > 0`,
  )
  const uses = 'case when "count" > 0 then "day" end'
  const groups = query(
    `select "what", "principal", "client", min("day"), max(${uses}), sum("count") from ${table} ` +
      `where "deleted_at" is null group by "what", "principal", "client" order by 6 desc limit ${p(1)}`,
  )
  // Rows with count 0 mark when counting began and are kept.
  const old = `select "id" from ${table} where "day" < ${p(1)} and "count" > 0 limit ${p(2)}`
  const forget = query(`delete from ${table} where "id" in (${old}) returning "id"`)

  return {
    *add(counts, now) {
      const at = dialect.encode(now, 'timestamp')
      const rows = counts.map((each) => ({ ...each, id: idOf(resource.prefix, each) }))
      // Sorted, to prevent deadlocks between instances.
      for (const { id, what, principal, client, day, count, removableFrom } of rows.sort(byId)) {
        const days = [day, removableFrom].map((each) => dialect.encode(new Date(each), 'timestamp'))
        yield bind(insert, id, what, principal, client, days[0]!, Math.min(count, countMax), days[1]!, at, at)
      }
    },
    *groups(max) {
      const rows = yield bind(groups, max)
      return rows.map(([what, principal, client, first, last, count]) => ({
        what: String(what),
        principal: String(principal),
        client: String(client),
        firstDay: String(first).slice(0, 10),
        lastDay: last === null ? null : String(last).slice(0, 10),
        count: Number(count),
      }))
    },
    *forget(before, max) {
      return (yield bind(forget, dialect.encode(before, 'timestamp'), max)).length === max
    },
  }
}

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : 1)

/** The same on every instance, so that counts are added in one row; the row with count 0 has no day. */
function idOf(prefix: string, { what, principal, client, day, count }: UseCount): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const bytes = hash('sha256', JSON.stringify([what, principal, client, count === 0 ? null : day]), 'buffer')
  const text = [...bytes.subarray(0, 26)].map((byte) => digits[byte & 31]).join('')
  return `${prefix}_${digits[bytes[26]! & 7]}${text.slice(1)}`
}
