// Records of `SignInMethod`, and the end of the secrets that belong to them. (contract 5.13.5)

import { makeId } from '../../../resource/model/id.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { type Dialect, quote } from '../../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../../store/store.ts'

export type MethodKind = 'totp' | 'passkey' | 'issuer'
export interface SignInMethodRecord {
  readonly id: string
  readonly kind: MethodKind
  readonly name: string
}

export interface SignInMethodStore {
  /** Returns the new id. The account must be locked. */
  add(userId: string, kind: MethodKind, name: string, now: Date): Program<string>
  /** The oldest first. */
  list(userId: string): Program<readonly SignInMethodRecord[]>
  /** Notes a use. False if it was deleted. */
  touch(id: string, now: Date): Program<boolean>
  /** Deletes what belongs to methods whose records are being deleted. */
  forget(ids: readonly string[]): Program<void>
  /** Deletes these, and what belongs to them. */
  remove(ids: readonly string[], now: Date): Program<void>
  /** Deletes all of the account. */
  removeAll(userId: string, now: Date): Program<void>
}

/** The tables with a column `method_id`, whose rows end with their method. */
export const methodSecretTables: readonly string[] = ['duet_issuer_method', 'duet_passkey', 'duet_totp']

export function createSignInMethodStore(resource: ResourceModel, dialect: Dialect): SignInMethodStore {
  const p = (number: number) => dialect.parameter(number)
  const methods = quote(resource.table)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const touched = `"updated_at" = ${p(1)}, "version" = "version" + 1`
  const insert = command(
    `insert into ${methods} ("id", "user_id", "kind", "name", "created_at", "updated_at") ` +
      `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(5)})`,
  )
  const list = query(
    `select "id", "kind", "name" from ${methods} where "user_id" = ${p(1)} and "deleted_at" is null order by "id"`,
  )
  const touch = query(
    `update ${methods} set "last_used_at" = ${p(1)}, ${touched} where "id" = ${p(2)} and "deleted_at" is null returning 1`,
  )
  const remove = command(`update ${methods} set "deleted_at" = ${p(1)}, ${touched} where "id" = ${p(2)}`)
  const removeAll = command(
    `update ${methods} set "deleted_at" = ${p(1)}, ${touched} where "user_id" = ${p(2)} and "deleted_at" is null`,
  )
  // Only of accounts that exist: a person whose account was deleted gets no other one. (contract 5.6.7)
  const unlink = command(
    'delete from duet_outside_account where (issuer, subject) in ' +
      `(select issuer, subject from duet_issuer_method where method_id = ${p(1)}) and exists ` +
      `(select 1 from ${quote(resource.account.resource.table)} a where a."id" = user_id and a."deleted_at" is null)`,
  )
  const unlinkAll = command(`delete from duet_outside_account where user_id = ${p(1)}`)
  const secrets = methodSecretTables.map((table) => command(`delete from ${table} where method_id = ${p(1)}`))
  const ends = [unlink, ...secrets]
  function* forget(ids: readonly string[]): Program<void> {
    for (const id of ids) for (const each of ends) yield bind(each, id)
  }
  function* listOf(userId: string): Program<readonly SignInMethodRecord[]> {
    const rows = yield bind(list, userId)
    return rows.map(([id, kind, name]) => ({ id: String(id), kind: kind as MethodKind, name: String(name) }))
  }
  return {
    *add(userId, kind, name, now) {
      const id = makeId(resource.prefix, now)
      yield bind(insert, id, userId, kind, name, moment(now))
      return id
    },
    list: listOf,
    *touch(id, now) {
      const rows = yield bind(touch, moment(now), id)
      return rows.length > 0
    },
    forget,
    *remove(ids, now) {
      yield* forget(ids)
      for (const id of ids) yield bind(remove, moment(now), id)
    },
    *removeAll(userId, now) {
      const records = yield* listOf(userId)
      yield* forget(records.map(({ id }) => id))
      yield bind(removeAll, moment(now), userId)
      // Those of persons who have only sent tokens of their issuer, too.
      yield bind(unlinkAll, userId)
    },
  }
}
