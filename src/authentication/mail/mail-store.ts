// Mails that wait to be sent: rows, so that they survive the process, without tokens, which are made when a mail is sent.
// (contract 4.13.7)

import { randomUUID } from 'node:crypto'
import type { Limits } from '../../limits.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'

export const mailTable = { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
function table(moment: string): readonly string[] {
  return [
    'create table if not exists duet_mail (id text primary key, kind text not null, address text not null, user_id text, ' +
      `detail text, token_hash text, attempts integer not null, due_at ${moment} not null, until ${moment} not null)`,
    'create index if not exists duet_mail_due on duet_mail (due_at)',
  ]
}

export interface NewMail {
  readonly kind: MailKind
  readonly address: string
  /** Null: whichever account has the address when the mail is sent. */
  readonly userId: string | null
  /** Of a magic link: the code challenge. Of a notice: the kind of method. */
  readonly detail?: string
}
export type MailKind = 'reset' | 'verify' | 'change' | 'magic' | 'page_magic' | NoticeKind
/** Mails that inform of a change, and contain no token. */
export type NoticeKind =
  | 'password_changed'
  | 'address_changed'
  | 'method_added'
  | 'method_removed'
  | 'recovery_code_used'
  | 'second_factor_blocked'
/** How long a mail is tried, and its token is valid. */
export const tokenSeconds = { verify: 86_400, change: 3_600, magic: 600 }
const noticeSeconds = 86_400
export interface WaitingMail extends Omit<NewMail, 'detail'> {
  readonly id: string
  readonly detail: string | null
  /** Of the token in the attempt before. */
  readonly tokenHash: string | null
  /** This one included. */
  readonly attempts: number
  readonly until: Date
}

export interface MailStore {
  /** Adds nothing if `mailsWaiting` are waiting. */
  add(mail: NewMail, now: Date): Program<void>
  /** Mails that are due; no other instance gets them until `until`. */
  claim(count: number, until: Date, now: Date): Program<readonly WaitingMail[]>
  noteToken(id: string, tokenHash: string): Program<void>
  postpone(id: string, dueAt: Date): Program<void>
  remove(id: string): Program<void>
}

export function createMailStore(
  dialect: Dialect,
  limits: Pick<Limits, 'mailsWaiting' | 'passwordResetSeconds'>,
): MailStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const others = { page_magic: tokenSeconds.magic, reset: limits.passwordResetSeconds }
  const lifetimes: Readonly<Partial<Record<MailKind, number>>> = { ...tokenSeconds, ...others }
  const date = (value: Value) => dialect.decode(value, 'timestamp') as Date
  const cast = dialect.engine === 'postgres' ? '::timestamptz' : ''
  const text = dialect.engine === 'postgres' ? '::text' : ''
  const add = command(
    'insert into duet_mail (id, kind, address, user_id, detail, attempts, due_at, until) ' +
      `select ${p(1)}${text}, ${p(2)}${text}, ${p(3)}${text}, ${p(4)}${text}, ${p(5)}${text}, 0, ${p(6)}${cast}, ${p(7)}${cast} ` +
      `where (select count(*) from (select 1 from duet_mail limit ${limits.mailsWaiting}) waiting) < ${limits.mailsWaiting}`,
  )
  const lock = dialect.engine === 'postgres' ? ' for update skip locked' : ''
  const due = `select id from duet_mail where due_at <= ${p(2)} order by due_at limit ${p(3)}${lock}`
  const claim = query(
    `update duet_mail set due_at = ${p(1)}, attempts = attempts + 1 where id in (${due}) ` +
      'returning id, kind, address, user_id, detail, token_hash, attempts, until',
  )
  const noteToken = command(`update duet_mail set token_hash = ${p(1)} where id = ${p(2)}`)
  const postpone = command(`update duet_mail set due_at = ${p(1)} where id = ${p(2)}`)
  const remove = command(`delete from duet_mail where id = ${p(1)}`)
  return {
    *add({ kind, address, userId, detail = null }, now) {
      const until = new Date(now.getTime() + (lifetimes[kind] ?? noticeSeconds) * 1000)
      yield bind(add, randomUUID(), kind, address, userId, detail, moment(now), moment(until))
    },
    *claim(count, until, now) {
      const rows = yield bind(claim, moment(until), moment(now), count)
      return rows.map(([id, kind, address, userId, detail, tokenHash, attempts, end]) => ({
        id: String(id),
        kind: kind as MailKind,
        address: String(address),
        userId: userId as string | null,
        detail: detail as string | null,
        tokenHash: tokenHash as string | null,
        attempts: Number(attempts),
        until: date(end!),
      }))
    },
    *noteToken(id, tokenHash) {
      yield bind(noteToken, tokenHash, id)
    },
    *postpone(id, dueAt) {
      yield bind(postpone, moment(dueAt), id)
    },
    *remove(id) {
      yield bind(remove, id)
    },
  }
}
