// Reads, locks and changes the accounts that sign in.

import type { AccountsModel } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Statement, type Value } from '../../store/store.ts'

export interface Account {
  readonly id: string
  readonly login: string
  readonly role: string
  readonly isActive: boolean
  readonly passwordHash: string | null
  readonly isVerified: boolean
}
/** Raising an epoch invalidates all tokens of lower ones. */
export interface Epochs {
  readonly refresh: number
  readonly access: number
}

/**
 * Every change of an account's tokens, and every write to an account, locks it first: one lock order (account, epochs,
 * sessions, tokens).
 */
export interface AccountStore {
  byLogin(login: string): Program<Account | null>
  byId(userId: string): Program<Account | null>
  /** `refused` if the account was deleted or is not active. */
  status(userId: string): Program<'unknown' | 'active' | 'refused'>
  lock(userId: string): Program<Account | null>
  /** The subquery `owner` has one parameter. */
  lockOwner(owner: string): (key: Value) => Program<Account | null>
  changePassword(userId: string, passwordHash: string, now: Date): Program<void>
  epochs(userId: string): Program<Epochs>
  raiseRefreshEpoch(userId: string): Program<void>
  raiseAccessEpoch(userId: string): Program<number>
}

/** One row per account whose tokens were ever revoked. */
export const accountTable = { create: { sqlite: table(), postgres: table() } }
function table(): readonly string[] {
  return [
    'create table if not exists duet_account (user_id text primary key, refresh_epoch integer not null, access_epoch integer not null)',
  ]
}

export function createAccountStore(
  { resource, login, password, role, status, activeState, verified, methods }: AccountsModel,
  dialect: Dialect,
): AccountStore {
  const p = (number: number) => dialect.parameter(number)
  const users = quote(resource.table)
  const proof = methods === null || verified === null ? [] : [verified.name]
  const columns = ['id', login.name, role.name, status.name, password.name, ...proof].map(quote).join(', ')
  const selectAccount = `select ${columns} from ${users} where "deleted_at" is null and`
  // Weaker than `for update`, which would block inserts of rows that refer to the account.
  const forUpdate = dialect.engine === 'postgres' ? ' for no key update' : ''
  const byLogin = query(`${selectAccount} ${quote(login.name)} = ${p(1)}`)
  const statusById = query(`select ${quote(status.name)}, "deleted_at" from ${users} where "id" = ${p(1)}`)
  const lock = query(`${selectAccount} "id" = ${p(1)}${forUpdate}`)
  const changePassword = command(
    `update ${users} set ${quote(password.name)} = ${p(1)}, "updated_at" = ${p(2)}, "version" = "version" + 1 where "id" = ${p(3)}`,
  )
  const epochs = query(`select refresh_epoch, access_epoch from duet_account where user_id = ${p(1)}`)
  const raise = (name: 'refresh' | 'access') =>
    query(
      `insert into duet_account (user_id, refresh_epoch, access_epoch) values (${p(1)}, ${name === 'refresh' ? '1, 0' : '0, 1'}) ` +
        `on conflict (user_id) do update set ${name}_epoch = duet_account.${name}_epoch + 1 returning ${name}_epoch`,
    )
  const raiseRefresh = raise('refresh')
  const raiseAccess = raise('access')

  const readWith = (statement: Statement) =>
    function* (key: Value): Program<Account | null> {
      const [row] = yield bind(statement, key)
      if (row === undefined) return null
      const [id, itsLogin, itsRole, itsStatus, hash] = row as [string, string, string, string, string | null]
      const isVerified = row[5] !== undefined && Boolean(row[5])
      return { id, login: itsLogin, role: itsRole, isActive: itsStatus === activeState, passwordHash: hash, isVerified }
    }

  return {
    byLogin: readWith(byLogin),
    byId: readWith(query(`${selectAccount} "id" = ${p(1)}`)),
    *status(userId) {
      const [row] = yield bind(statusById, userId)
      if (row === undefined) return 'unknown'
      return row[0] === activeState && row[1] === null ? 'active' : 'refused'
    },
    lock: readWith(lock),
    lockOwner: (owner) => readWith(query(`${selectAccount} "id" = (${owner})${forUpdate}`)),
    *changePassword(userId, hash, now) {
      yield bind(changePassword, hash, dialect.encode(now, 'timestamp'), userId)
    },
    *epochs(userId) {
      const [row] = yield bind(epochs, userId)
      return row === undefined ? { refresh: 0, access: 0 } : { refresh: Number(row[0]), access: Number(row[1]) }
    },
    *raiseRefreshEpoch(userId) {
      yield bind(raiseRefresh, userId)
    },
    *raiseAccessEpoch(userId) {
      const [row] = yield bind(raiseAccess, userId)
      return Number(row![0])
    },
  }
}
