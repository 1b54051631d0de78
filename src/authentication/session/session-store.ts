// Sessions and their refresh tokens; each method is one atomic program. A session keeps its active token and the used ones. A
// token of an earlier refresh epoch is void, even if minted at the moment of the revocation. (contract 3.5)

import type { Limits } from '../../limits.ts'
import { makeId } from '../../resource/model/id.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { Origin, SecurityEvent, SecurityEvents } from '../account/security-events.ts'
import type { SessionAuthentications } from '../method/session-authentication.ts'
import type { SessionAuthentication } from '../token/access-token.ts'

/** Refresh tokens by hash; `ends_at` is the absolute end of the session. */
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

export interface TokenGrant {
  readonly userId: string
  readonly role: string
  readonly sessionId: string
  readonly accessEpoch: number
  readonly authentication: SessionAuthentication | null
}
export type Rotation =
  | { readonly kind: 'granted'; readonly grant: TokenGrant }
  | { readonly kind: 'invalid' | 'expired' | 'unproved' }
  /** All refresh tokens of the user were revoked, which must be committed. */
  | { readonly kind: 'reused'; readonly event: SecurityEvent }

const chunk = 1_000

export interface SessionStoreOptions {
  readonly resource: ResourceModel
  readonly accounts: AccountStore
  readonly events: SecurityEvents
  readonly limits: Pick<Limits, 'refreshTokenSeconds' | 'sessionSeconds' | 'clockSkewSeconds'>
  readonly dialect: Dialect
  /** Null or absent: the service has no sign-in methods. */
  readonly authentications?: SessionAuthentications | null
  readonly isUnproved?: (account: Account) => boolean
  /** Roles whose sessions were opened with a second factor. (contract 5.13.8) */
  readonly secondFactorFor?: ReadonlySet<string>
}

export class SessionStore {
  readonly #options: Required<SessionStoreOptions>
  readonly #sql: ReturnType<typeof statements>
  readonly #lockOwner: (tokenHash: string) => Program<Account | null>

  constructor(options: SessionStoreOptions) {
    const { resource, accounts, dialect } = options
    this.#options = { authentications: null, isUnproved: () => false, secondFactorFor: new Set(), ...options }
    this.#sql = statements(resource, dialect)
    this.#lockOwner = accounts.lockOwner(`select user_id from duet_refresh_token where hash = ${dialect.parameter(1)}`)
  }

  /** `methods` are values of `amr`. Null if the account has changed since it was read. */
  *open(
    account: Account,
    methods: readonly string[],
    tokenHash: string,
    { userAgent, ip }: Origin,
    now: Date,
  ): Program<TokenGrant | null> {
    const { resource, accounts, limits, authentications } = this.#options
    const current = yield* accounts.lock(account.id)
    if (current === null || !current.isActive) return null
    if (current.passwordHash !== account.passwordHash || current.login !== account.login) return null
    const { refresh, access } = yield* accounts.epochs(current.id)
    const session = { sessionId: makeId(resource.prefix, now), userId: current.id }
    const device = [...userAgent].slice(0, 500).join('')
    yield bind(this.#sql.open, session.sessionId, current.id, this.#moment(now), device, ip)
    const endsAt = after(now, limits.sessionSeconds)
    yield* this.#mint(tokenHash, { ...session, epoch: refresh, endsAt }, now)
    const authentication = authentications === null ? null : { at: now, methods }
    if (authentication !== null) yield* authentications!.put(session.sessionId, authentication)
    return { ...session, role: current.role, accessEpoch: access, authentication }
  }

  /** Of concurrent calls with one token, one succeeds. */
  *rotate(tokenHash: string, nextHash: string, origin: Origin, now: Date): Program<Rotation> {
    const { events, authentications, isUnproved, secondFactorFor } = this.#options
    const account = yield* this.#lockOwner(tokenHash)
    const token = account === null ? null : yield* this.#find(tokenHash)
    if (account === null || token === null || token.isVoid || !account.isActive) return { kind: 'invalid' }
    const { sessionId, epoch, endsAt, accessEpoch } = token
    if (token.isUsed) {
      yield* this.revokeAll([account.id], now)
      const event = reuse(account.id, sessionId, 'refresh', origin)
      yield* events.record(event, now)
      return { kind: 'reused', event }
    }
    if (token.expiresAt <= now) return { kind: 'expired' }
    if (isUnproved(account)) return { kind: 'unproved' }
    const authentication = authentications === null ? null : yield* authentications.find(sessionId)
    const isProvedTwice = authentication?.methods.includes('mfa') ?? false
    if (secondFactorFor.has(account.role) && !isProvedTwice) return { kind: 'invalid' }
    // Waits for a transaction that deletes the session, and then finds no row.
    const rows = yield bind(this.#sql.touch, this.#moment(now), sessionId)
    if (rows.length === 0) return { kind: 'invalid' }
    yield bind(this.#sql.use, this.#moment(now), tokenHash)
    yield* this.#mint(nextHash, { sessionId, userId: account.id, epoch, endsAt }, now)
    const grant = { userId: account.id, role: account.role, sessionId, accessEpoch, authentication }
    return { kind: 'granted', grant }
  }

  /** Ends the token's session. A used token is an event. */
  *close(tokenHash: string, origin: Origin, now: Date): Program<SecurityEvent | null> {
    const account = yield* this.#lockOwner(tokenHash)
    const token = account === null ? null : yield* this.#find(tokenHash)
    if (account === null || token === null) return null
    yield bind(this.#sql.end, this.#moment(now), token.sessionId)
    yield bind(this.#sql.forgetSession, token.sessionId)
    if (!token.isUsed || token.isVoid) return null
    const event = reuse(account.id, token.sessionId, 'logout', origin)
    yield* this.#options.events.record(event, now)
    return event
  }

  /** Returns those that may have an access token. The account must be locked. */
  *endOthers(userId: string, sessionId: string, now: Date): Program<readonly string[]> {
    const rows = yield bind(this.#sql.endOthers, this.#moment(now), userId, sessionId)
    yield bind(this.#sql.forgetOthers, userId, sessionId)
    return rows.map(([id]) => String(id))
  }

  *isOpen(sessionId: string): Program<boolean> {
    const rows = yield bind(this.#sql.isOpen, sessionId)
    return rows.length > 0
  }

  *forget(sessionIds: readonly string[]): Program<void> {
    for (const sessionId of sessionIds) yield bind(this.#sql.forgetSession, sessionId)
  }

  /** The accounts must be locked. */
  *revokeAll(userIds: readonly string[], now: Date): Program<void> {
    for (const userId of userIds) {
      yield* this.#options.accounts.raiseRefreshEpoch(userId)
      yield bind(this.#sql.endSessionsOf, this.#moment(now), userId)
      yield bind(this.#sql.forgetUser, userId)
    }
  }

  *sweep(now: Date): Program<void> {
    const { limits, authentications } = this.#options
    // A renewal may still be in time by the clock of another instance.
    const expiry = this.#moment(after(now, -limits.clockSkewSeconds))
    yield bind(this.#sql.endExpired, this.#moment(now), expiry, chunk)
    yield bind(this.#sql.forgetEnded, expiry, chunk)
    if (authentications !== null) yield* authentications.sweep()
  }

  *#mint(hash: string, { sessionId, userId, epoch, endsAt }: NewToken, now: Date): Program<void> {
    const renewable = after(now, this.#options.limits.refreshTokenSeconds)
    const expiresAt = renewable < endsAt ? renewable : endsAt
    yield bind(this.#sql.mint, hash, sessionId, userId, epoch, this.#moment(expiresAt), this.#moment(endsAt))
  }

  *#find(hash: string): Program<RefreshToken | null> {
    const [row] = yield bind(this.#sql.token, hash)
    if (row === undefined) return null
    const [sessionId, tokenEpoch, usedAt, expiresAt, endsAt, refreshEpoch, accessEpoch] = row
    return {
      sessionId: String(sessionId),
      epoch: Number(tokenEpoch),
      isVoid: Number(tokenEpoch) !== Number(refreshEpoch),
      isUsed: usedAt !== null,
      expiresAt: this.#date(expiresAt!),
      endsAt: this.#date(endsAt!),
      accessEpoch: Number(accessEpoch),
    }
  }

  #moment(at: Date): Value {
    return this.#options.dialect.encode(at, 'timestamp')
  }

  #date(value: Value): Date {
    return this.#options.dialect.decode(value, 'timestamp') as Date
  }
}

const after = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)

interface NewToken {
  readonly sessionId: string
  readonly userId: string
  readonly epoch: number
  readonly endsAt: Date
}
interface RefreshToken extends Omit<NewToken, 'userId'> {
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
  const expiredSessions =
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
    endOthers: query(`${end} "user_id" = ${p(2)} and "id" <> ${p(3)} returning "id"`),
    forgetOthers: command(`delete from duet_refresh_token where user_id = ${p(1)} and session_id <> ${p(2)}`),
    isOpen: query(`select 1 from ${sessions} where "id" = ${p(1)} and "deleted_at" is null`),
    endSessionsOf: command(`${end} "user_id" = ${p(2)}`),
    endExpired: command(`${end} "id" in (${expiredSessions})`),
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
