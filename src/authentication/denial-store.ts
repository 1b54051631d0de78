// Denials in the database, written in the transaction that causes them, so that no restart forgets one. (contract 3, 5)

import type { Dialect } from '../store/sql/dialect.ts'
import { bind, command, type Program, query, type StoredRow } from '../store/store.ts'
import type { Denial } from './denylist.ts'

/** One row for each denial; `subject` is a token's, a session's or a user's id. */
export const denialTable = {
  create: {
    sqlite: table('text'),
    postgres: table('timestamptz(3)'),
  },
}
function table(moment: string): readonly string[] {
  return [
    `create table if not exists duet_denial (kind text not null, subject text not null, epoch integer not null, denied_at ${moment} not null, until ${moment} not null, primary key (kind, subject, epoch))`,
    'create index if not exists duet_denial_until on duet_denial (until)',
  ]
}

export interface DenialStore {
  add(denials: readonly Denial[], now: Date): Program<void>
  /** Those that still count, made since then. */
  load(since: Date, now: Date): Program<readonly Denial[]>
  /** Forgets what counts no more. */
  prune(now: Date): Program<void>
}

export function createDenialStore(dialect: Dialect): DenialStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const insert = command(
    `insert into duet_denial (kind, subject, epoch, denied_at, until) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}) on conflict do nothing`,
  )
  const select = query(
    `select kind, subject, epoch, denied_at, until from duet_denial where until > ${p(1)} and denied_at >= ${p(2)}`,
  )
  const forget = command(`delete from duet_denial where until <= ${p(1)}`)
  const toDenial = ([kind, subject, epoch, at, until]: StoredRow): Denial => {
    const [id, denied, end] = [
      String(subject),
      dialect.decode(at!, 'timestamp') as Date,
      dialect.decode(until!, 'timestamp') as Date,
    ]
    if (kind === 'token') return { kind, tokenId: id, until: end }
    if (kind === 'session') return { kind, sessionId: id, until: end }
    return { kind: 'user', userId: id, epoch: Number(epoch), at: denied, until: end }
  }
  return {
    *add(denials, now) {
      for (const denial of denials) {
        const subject =
          denial.kind === 'token' ? denial.tokenId : denial.kind === 'session' ? denial.sessionId : denial.userId
        const epoch = denial.kind === 'user' ? denial.epoch : 0
        yield bind(insert, denial.kind, subject, epoch, moment(now), moment(denial.until))
      }
    },
    *load(since, now) {
      return (yield bind(select, moment(now), moment(since))).map(toDenial)
    },
    *prune(now) {
      yield bind(forget, moment(now))
    },
  }
}
