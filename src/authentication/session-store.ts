// Sessions and their refresh tokens in the database: each method is one program, and each program one atomic step.
// A token that was revoked is gone: what remains of a session's tokens is one that is active and those that were used.
// The refresh epoch makes revocation total: a token minted under an earlier one is void, also when it is being minted at
// this moment. (contract 3, 3.2 of the source)

import type { Limits } from '../limits.ts'
import { makeId } from '../resource/id.ts'
import type { ResourceModel } from '../resource/model.ts'
import { type Dialect, quote } from '../store/sql/dialect.ts'
import { bind, command, type Program, query, type Value } from '../store/store.ts'
import type { Account, AccountStore } from './account-store.ts'
import type { Origin, SecurityEvent, SecurityEvents } from './security-events.ts'

/** Refresh tokens by hash; `ends_at` is when their session ends, however often it was renewed. */
export const sessionTables = { create: { sqlite: tables('text'), postgres: tables('timestamptz(3)') } }
function tables(moment: string): readonly string[] {
  const index = (name: string, on: string) =>
    `create index if not exists duet_refresh_token_${name} on duet_refresh_token ${on}`
  return [
    'create table if not exists duet_refresh_token (hash text primary key, session_id text not null, user_id text not null, ' +
      `epoch integer not null, used_at ${moment}, expires_at ${moment} not null, ends_at ${moment} not null)`,
    index('session', '(session_id)'),
    index('user', '(user_id)'),
    index('expiry', '(expires_at) where used_at is null'),
    index('end', '(ends_at)'),
  ]
}

/** What new tokens are made for. */
export interface Granted {
  readonly userId: string
  readonly role: string
  readonly sessionId: string
  readonly accessEpoch: number
}
export type Rotated =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'invalid' | 'expired' }
  /** Every refresh token of the user was revoked: the transaction must be committed. */
  | { readonly kind: 'reused'; readonly event: SecurityEvent }

export interface SessionStore {
  /** Makes a session with its first refresh token; null where the account is no longer as `found`. */
  open(found: Account, tokenHash: string, origin: Origin, now: Date): Program<Granted | null>
  /** Exchanges a refresh token for the next one. Of any number at once for one token, one is granted. */
  rotate(tokenHash: string, nextHash: string, origin: Origin, now: Date): Program<Rotated>
  /** Ends the session of this token, used or not; that a used one was shown is an event. */
  close(tokenHash: string, origin: Origin, now: Date): Program<SecurityEvent | null>
  /** Revokes the tokens of sessions whose records are being deleted. */
  forget(sessionIds: readonly string[]): Program<void>
  /** Ends every session of these users, whose accounts are locked. */
  revokeAll(userIds: readonly string[], now: Date): Program<void>
  /** Deletes the records of sessions that nobody renewed in time, and tokens too old to say anything. Some at a time. */
  sweep(now: Date): Program<void>
}
/** So many rows go in one sweep. */
const chunk = 1_000

export function createSessionStore(
  resource: ResourceModel,
  accounts: AccountStore,
  events: SecurityEvents,
  limits: Pick<Limits, 'refreshTokenSeconds' | 'sessionSeconds' | 'clockSkewSeconds'>,
  dialect: Dialect,
): SessionStore {
  const sql = statements(resource, dialect)
  const lockOwner = accounts.lockOwner(`select user_id from duet_refresh_token where hash = ${dialect.parameter(1)}`)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const date = (stored: Value) => dialect.decode(stored, 'timestamp') as Date
  const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

  function* mint(hash: string, session: Omit<Granted, 'role' | 'accessEpoch'> & Minting, now: Date): Program<void> {
    const { sessionId, userId, epoch, endsAt } = session
    const renewable = after(now, limits.refreshTokenSeconds)
    const expiresAt = renewable < endsAt ? renewable : endsAt
    yield bind(sql.mint, hash, sessionId, userId, epoch, moment(expiresAt), moment(endsAt))
  }

  function* find(hash: string): Program<Found | null> {
    const [row] = yield bind(sql.token, hash)
    if (row === undefined) return null
    const [sessionId, tokenEpoch, usedAt, expiresAt, endsAt, refreshEpoch, accessEpoch] = row
    return {
      sessionId: String(sessionId),
      epoch: Number(tokenEpoch),
      isVoid: Number(tokenEpoch) !== Number(refreshEpoch),
      isUsed: usedAt !== null,
      expiresAt: date(expiresAt!),
      endsAt: date(endsAt!),
      accessEpoch: Number(accessEpoch),
    }
  }

  function* revokeAll(userIds: readonly string[], now: Date): Program<void> {
    for (const userId of userIds) {
      yield* accounts.raiseRefreshEpoch(userId)
      yield bind(sql.endSessionsOf, moment(now), userId)
      yield bind(sql.forgetUser, userId)
    }
  }

  return {
    revokeAll,
    *open(found, tokenHash, { userAgent, ip }, now) {
      const account = yield* accounts.lock(found.id)
      if (account === null || !account.isActive || account.passwordHash !== found.passwordHash) return null
      const { refresh, access } = yield* accounts.epochs(account.id)
      const session = { sessionId: makeId(resource.prefix, now), userId: account.id }
      const device = [...userAgent].slice(0, 500).join('')
      yield bind(sql.open, session.sessionId, account.id, moment(now), device, ip)
      yield* mint(tokenHash, { ...session, epoch: refresh, endsAt: after(now, limits.sessionSeconds) }, now)
      return { ...session, role: account.role, accessEpoch: access }
    },

    *rotate(tokenHash, nextHash, origin, now) {
      const account = yield* lockOwner(tokenHash)
      const token = account === null ? null : yield* find(tokenHash)
      if (account === null || token === null || token.isVoid || !account.isActive) return { kind: 'invalid' }
      const { sessionId, epoch, endsAt, accessEpoch } = token
      if (token.isUsed) {
        yield* revokeAll([account.id], now)
        const event = reuse(account.id, sessionId, 'refresh', origin)
        yield* events.record(event, now)
        return { kind: 'reused', event }
      }
      if (token.expiresAt <= now) return { kind: 'expired' }
      // Waits for whoever is deleting the session at this moment, and finds nothing then.
      const living = yield bind(sql.touch, moment(now), sessionId)
      if (living.length === 0) return { kind: 'invalid' }
      yield bind(sql.use, moment(now), tokenHash)
      yield* mint(nextHash, { sessionId, userId: account.id, epoch, endsAt }, now)
      return { kind: 'granted', granted: { userId: account.id, role: account.role, sessionId, accessEpoch } }
    },

    *close(tokenHash, origin, now) {
      const account = yield* lockOwner(tokenHash)
      const token = account === null ? null : yield* find(tokenHash)
      if (account === null || token === null) return null
      yield bind(sql.end, moment(now), token.sessionId)
      yield bind(sql.forgetSession, token.sessionId)
      if (!token.isUsed || token.isVoid) return null
      const event = reuse(account.id, token.sessionId, 'logout', origin)
      yield* events.record(event, now)
      return event
    },

    *forget(sessionIds) {
      for (const sessionId of sessionIds) yield bind(sql.forgetSession, sessionId)
    },

    *sweep(now) {
      // Another instance's clock may be behind, and a renewal there still in time.
      const expired = moment(after(now, -limits.clockSkewSeconds))
      yield bind(sql.endExpired, moment(now), expired, chunk)
      yield bind(sql.forgetEnded, expired, chunk)
    },
  }
}

interface Minting {
  readonly epoch: number
  readonly endsAt: Date
}
interface Found extends Minting {
  readonly sessionId: string
  /** Minted before everything of this user was revoked. */
  readonly isVoid: boolean
  readonly isUsed: boolean
  readonly expiresAt: Date
  readonly accessEpoch: number
}

const reuse = (userId: string, sessionId: string, shownTo: 'refresh' | 'logout', origin: Origin): SecurityEvent => ({
  type: 'refresh_token_reused',
  userId,
  origin,
  details: { session_id: sessionId, shown_to: shownTo },
})

function statements(resource: ResourceModel, dialect: Dialect) {
  const p = (number: number) => dialect.parameter(number)
  const sessions = quote(resource.table)
  const touched = `"updated_at" = ${p(1)}, "version" = "version" + 1`
  const end = `update ${sessions} set "deleted_at" = ${p(1)}, ${touched} where "deleted_at" is null and`
  const expired =
    `select t.session_id from duet_refresh_token t join ${sessions} s on s."id" = t.session_id ` +
    `where t.used_at is null and t.expires_at <= ${p(2)} and s."deleted_at" is null limit ${p(3)}`
  return {
    open: command(
      `insert into ${sessions} ("id", "user_id", "last_used_at", "user_agent", "ip", "created_at", "updated_at") ` +
        `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(3)}, ${p(3)})`,
    ),
    touch: query(
      `update ${sessions} set "last_used_at" = ${p(1)}, ${touched} where "id" = ${p(2)} and "deleted_at" is null returning 1`,
    ),
    end: command(`${end} "id" = ${p(2)}`),
    endSessionsOf: command(`${end} "user_id" = ${p(2)}`),
    endExpired: command(`${end} "id" in (${expired})`),
    mint: command(
      'insert into duet_refresh_token (hash, session_id, user_id, epoch, expires_at, ends_at) ' +
        `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(6)})`,
    ),
    token: query(
      'select t.session_id, t.epoch, t.used_at, t.expires_at, t.ends_at, coalesce(a.refresh_epoch, 0), coalesce(a.access_epoch, 0) ' +
        `from duet_refresh_token t left join duet_account a on a.user_id = t.user_id where t.hash = ${p(1)}`,
    ),
    use: command(`update duet_refresh_token set used_at = ${p(1)} where hash = ${p(2)}`),
    forgetSession: command(`delete from duet_refresh_token where session_id = ${p(1)}`),
    forgetUser: command(`delete from duet_refresh_token where user_id = ${p(1)}`),
    forgetEnded: command(
      `delete from duet_refresh_token where hash in (select hash from duet_refresh_token where ends_at <= ${p(1)} limit ${p(2)})`,
    ),
  }
}
