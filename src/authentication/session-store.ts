// Sessions and their refresh tokens in the database: each method is one program, and each program one atomic step.
// Two epochs per account make revocation total: what was minted under an earlier epoch is dead by definition, also when
// it is being minted at this moment. (contract 3, 3.2 of the source)

import type { Limits } from '../limits.ts'
import { makeId } from '../resource/id.ts'
import type { AccountsModel, ResourceModel } from '../resource/model.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { type Bound, command, type Program, query, type Statement, type Value } from '../store/store.ts'

/** Refresh tokens by hash, and the epochs of accounts. Times as the engine keeps moments. */
export const sessionTables = {
  create: {
    sqlite: tables('text'),
    postgres: tables('timestamptz(3)'),
  },
}
function tables(moment: string): readonly string[] {
  return [
    'create table if not exists duet_account (user_id text primary key, refresh_epoch integer not null, access_epoch integer not null)',
    `create table if not exists duet_refresh_token (hash text primary key, session_id text not null, user_id text not null, epoch integer not null, used_at ${moment}, expires_at ${moment} not null)`,
    'create index if not exists duet_refresh_token_session on duet_refresh_token (session_id)',
    'create index if not exists duet_refresh_token_expiry on duet_refresh_token (expires_at)',
  ]
}

/** An account as signing in sees it. */
export interface Account {
  readonly id: string
  readonly role: string
  readonly isActive: boolean
  readonly passwordHash: string | null
}
/** What new tokens are made for. */
export interface Granted {
  readonly userId: string
  readonly role: string
  readonly sessionId: string
  readonly accessEpoch: number
}
/** Where a request came from. */
export interface Device {
  readonly userAgent: string
  readonly ip: string
}
export type Refreshed =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'invalid' | 'expired' }
  /** Everything of this user was revoked; the transaction that found out must be committed. */
  | { readonly kind: 'reused'; readonly userId: string; readonly sessionId: string }

export interface SessionStore {
  account(login: string): Program<Account | null>
  /** Makes a session with its first refresh token; null where the account is no longer as `found`. */
  open(found: Account, tokenHash: string, device: Device, now: Date): Program<Granted | null>
  /** Exchanges a refresh token for the next one. Of any number at once for one token, one is granted. */
  rotate(tokenHash: string, nextHash: string, now: Date): Program<Refreshed>
  /** Ends the session of this token, used or not; answers its session, or null where there was none to end. */
  close(tokenHash: string, now: Date): Program<{ readonly userId: string; readonly sessionId: string } | null>
  /** Ends every session of these users, and refuses refresh tokens that are being minted now. */
  revokeAll(userIds: readonly string[], now: Date): Program<void>
  /** Refuses every earlier access token of these users; answers the epoch that is valid now, by user. */
  refuseAccess(userIds: readonly string[]): Program<ReadonlyMap<string, number>>
}

export function createSessionStore(
  accounts: AccountsModel,
  sessions: ResourceModel,
  limits: Limits,
  dialect: Dialect,
): SessionStore {
  const sql = statements(accounts, sessions, dialect)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
  const toAccount = (row: readonly Value[]): Account => ({
    id: row[0] as string,
    role: row[1] as string,
    isActive: row[2] === accounts.active,
    passwordHash: row[3] as string | null,
  })

  /** Locks the account's epochs until the transaction ends: whatever concerns its tokens happens one after the other. */
  function* lockEpochs(userId: string): Program<{ refresh: number; access: number }> {
    yield bind(sql.makeEpochs, userId)
    const [row] = yield bind(sql.lockEpochs, userId)
    return { refresh: row![0] as number, access: row![1] as number }
  }

  function* mint(
    hash: string,
    sessionId: string,
    userId: string,
    epoch: number,
    started: Date,
    now: Date,
  ): Program<void> {
    const expiresAt = new Date(
      Math.min(later(now, limits.refreshTokenSeconds).getTime(), later(started, limits.sessionSeconds).getTime()),
    )
    yield bind(sql.mint, hash, sessionId, userId, epoch, moment(expiresAt))
  }

  function* revokeAll(userIds: readonly string[], now: Date): Program<void> {
    for (const userId of userIds) {
      yield* lockEpochs(userId)
      yield bind(sql.raiseRefreshEpoch, userId)
      yield bind(sql.endSessionsOf, moment(now), userId)
    }
  }

  return {
    revokeAll,
    *account(login) {
      const [row] = yield bind(sql.accountByLogin, login)
      return row === undefined ? null : toAccount(row)
    },
    *open(found, tokenHash, { userAgent, ip }, now) {
      const epochs = yield* lockEpochs(found.id)
      const [row] = yield bind(sql.accountById, found.id)
      const account = row === undefined ? null : toAccount(row)
      if (account === null || !account.isActive || account.passwordHash !== found.passwordHash) return null
      const sessionId = makeId(sessions.prefix, now)
      yield bind(sql.openSession, sessionId, found.id, moment(now), [...userAgent].slice(0, 500).join(''), ip)
      yield* mint(tokenHash, sessionId, found.id, epochs.refresh, now, now)
      return { userId: found.id, role: account.role, sessionId, accessEpoch: epochs.access }
    },
    *rotate(tokenHash, nextHash, now) {
      const [owner] = yield bind(sql.ownerOf, tokenHash)
      if (owner === undefined) return { kind: 'invalid' }
      const userId = owner[0] as string
      const epochs = yield* lockEpochs(userId)
      const [row] = yield bind(sql.token, tokenHash)
      if (row === undefined) return { kind: 'invalid' }
      const [sessionId, epoch, usedAt, expiresAt, endedAt, startedAt] = row as [
        string,
        number,
        Value,
        Value,
        Value,
        Value,
      ]
      if (epoch !== epochs.refresh || endedAt !== null) return { kind: 'invalid' }
      if (usedAt !== null) {
        yield* revokeAll([userId], now)
        return { kind: 'reused', userId, sessionId }
      }
      if ((dialect.decode(expiresAt, 'timestamp') as Date) <= now) return { kind: 'expired' }
      const [found] = yield bind(sql.accountById, userId)
      if (found === undefined || !toAccount(found).isActive) return { kind: 'invalid' }
      yield bind(sql.use, moment(now), tokenHash)
      yield* mint(nextHash, sessionId, userId, epoch, dialect.decode(startedAt, 'timestamp') as Date, now)
      yield bind(sql.touchSession, moment(now), sessionId)
      return {
        kind: 'granted',
        granted: { userId, role: toAccount(found).role, sessionId, accessEpoch: epochs.access },
      }
    },
    *close(tokenHash, now) {
      const [owner] = yield bind(sql.ownerOf, tokenHash)
      if (owner === undefined) return null
      const [userId, sessionId] = owner as [string, string]
      yield* lockEpochs(userId)
      const ended = yield bind(sql.endSession, moment(now), sessionId)
      return ended.length === 0 ? null : { userId, sessionId }
    },
    *refuseAccess(userIds) {
      const epochs = new Map<string, number>()
      for (const userId of userIds) {
        const { access } = yield* lockEpochs(userId)
        yield bind(sql.raiseAccessEpoch, userId)
        epochs.set(userId, access + 1)
      }
      return epochs
    },
  }
}

const bind = (statement: Statement, ...values: readonly Value[]): Bound => ({ statement, values })

function statements(
  { resource, login, password, role, status }: AccountsModel,
  sessions: ResourceModel,
  dialect: Dialect,
) {
  const p = (number: number) => dialect.parameter(number)
  const users = quote(resource.table)
  const account = `"id", ${quote(role.name)}, ${quote(status.name)}, ${quote(password.name)}`
  const table = quote(sessions.table)
  const touch = `"last_used_at" = ${p(1)}, "updated_at" = ${p(1)}, "version" = "version" + 1`
  const end = `update ${table} set "deleted_at" = ${p(1)}, "updated_at" = ${p(1)}, "version" = "version" + 1 where "deleted_at" is null`
  const forUpdate = dialect.engine === 'postgres' ? ' for update' : ''
  return {
    accountByLogin: query(
      `select ${account} from ${users} where ${quote(login.name)} = ${p(1)} and "deleted_at" is null`,
    ),
    accountById: query(`select ${account} from ${users} where "id" = ${p(1)} and "deleted_at" is null`),
    makeEpochs: command(
      `insert into duet_account (user_id, refresh_epoch, access_epoch) values (${p(1)}, 0, 0) on conflict do nothing`,
    ),
    lockEpochs: query(`select refresh_epoch, access_epoch from duet_account where user_id = ${p(1)}${forUpdate}`),
    raiseRefreshEpoch: command(`update duet_account set refresh_epoch = refresh_epoch + 1 where user_id = ${p(1)}`),
    raiseAccessEpoch: command(`update duet_account set access_epoch = access_epoch + 1 where user_id = ${p(1)}`),
    openSession: command(
      `insert into ${table} ("id", "user_id", "last_used_at", "user_agent", "ip", "created_at", "updated_at") ` +
        `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(3)}, ${p(3)})`,
    ),
    touchSession: command(`update ${table} set ${touch} where "id" = ${p(2)}`),
    endSession: query(`${end} and "id" = ${p(2)} returning 1`),
    endSessionsOf: command(`${end} and "user_id" = ${p(2)}`),
    mint: command(
      `insert into duet_refresh_token (hash, session_id, user_id, epoch, expires_at) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)})`,
    ),
    ownerOf: query(`select user_id, session_id from duet_refresh_token where hash = ${p(1)}`),
    token: query(
      'select t.session_id, t.epoch, t.used_at, t.expires_at, s."deleted_at", s."created_at" ' +
        `from duet_refresh_token t join ${table} s on s."id" = t.session_id where t.hash = ${p(1)}`,
    ),
    use: command(`update duet_refresh_token set used_at = ${p(1)} where hash = ${p(2)}`),
  }
}
