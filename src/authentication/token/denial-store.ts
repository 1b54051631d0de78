// Denials in the database, written in the transaction that causes them and polled by every instance. (contract 3.4.2)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Statement, type StoredRow, type Value } from '../../store/store.ts'
import type { Denial } from './denylist.ts'

/** A denial, or the deletion of an API key. Obsolete after `until`. */
export type Notice = Denial | { readonly kind: 'apiKey'; readonly keyId: string; readonly until: Date }

/**
 * `subject` is the id of a session, user or key. `position` orders rows without a clock: on PostgreSQL it is the id of
 * the writing transaction.
 */
export const denialTable = {
  create: {
    sqlite: table('position integer primary key autoincrement', 'text'),
    postgres: table('position xid8 not null default pg_current_xact_id()', 'timestamptz(3)'),
  },
}
function table(position: string, moment: string): readonly string[] {
  const columns =
    `${position}, kind text not null, subject text not null, epoch integer not null, ` +
    `denied_at ${moment} not null, until ${moment} not null`
  return [
    `create table if not exists duet_denial (${columns})`,
    'create index if not exists duet_denial_position on duet_denial (position)',
    'create index if not exists duet_denial_until on duet_denial (until)',
  ]
}

export interface NoticePage {
  readonly notices: readonly Notice[]
  readonly position: string
}
export interface DenialStore {
  add(notices: readonly Notice[], now: Date): Program<void>
  /** Unexpired notices not committed when `position` was returned; null: all. */
  since(position: string | null, now: Date): Program<NoticePage>
  sweep(now: Date): Program<void>
}
const chunk = 1_000

export function createDenialStore(dialect: Dialect): DenialStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const date = (value: Value) => dialect.decode(value, 'timestamp') as Date
  const insert = command(
    `insert into duet_denial (kind, subject, epoch, denied_at, until) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)})`,
  )
  const select = selectSince(dialect)
  const forget = command(
    `delete from duet_denial where position in (select position from duet_denial where until <= ${p(1)} limit ${p(2)}) and until <= ${p(1)}`,
  )
  const toNotice = ([, kind, subject, epoch, deniedAt, until]: StoredRow): Notice => {
    const [id, end] = [String(subject), date(until!)]
    if (kind === 'session') return { kind, sessionId: id, until: end }
    if (kind === 'apiKey') return { kind, keyId: id, until: end }
    return { kind: 'user', userId: id, epoch: Number(epoch), at: date(deniedAt!), until: end }
  }
  return {
    *add(notices, now) {
      for (const notice of notices) {
        const [epoch, deniedAt] = notice.kind === 'user' ? [notice.epoch, notice.at] : [0, now]
        yield bind(insert, notice.kind, subjectOf(notice), epoch, moment(deniedAt), moment(notice.until))
      }
    },
    *since(position, now) {
      const rows = yield bind(select, position ?? '0', moment(now))
      // The first row holds the position, also without notices.
      return { notices: rows.filter((row) => row[1] !== null).map(toNotice), position: String(rows[0]![0]) }
    },
    *sweep(now) {
      yield bind(forget, moment(now), chunk)
    },
  }
}

function subjectOf(notice: Notice): string {
  switch (notice.kind) {
    case 'session':
      return notice.sessionId
    case 'apiKey':
      return notice.keyId
    case 'user':
      return notice.userId
  }
}

/**
 * SQLite commits in the order of positions. PostgreSQL does not, so the returned position precedes the oldest running
 * transaction, and some rows are read twice. It never exceeds the last row: after a crash, ids of transactions without writes
 * are reused.
 */
function selectSince(dialect: Dialect): Statement {
  const [mark, now] = [dialect.parameter(1), dialect.parameter(2)]
  const columns = 'd.kind, d.subject, d.epoch, d.denied_at, d.until'
  const last = 'coalesce((select position from duet_denial order by position desc limit 1)'
  return dialect.engine === 'postgres'
    ? query(
        `select m.mark, ${columns} from (select least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1, ` +
          `${last}::text::bigint, 0))::text as mark) m ` +
          `left join duet_denial d on d.position > ${mark}::text::xid8 and d.until > ${now}`,
      )
    : query(
        `select m.mark, ${columns} from (select ${last}, 0) as mark) m ` +
          `left join duet_denial d on d.position > cast(${mark} as integer) and d.until > ${now}`,
      )
}
