// Links persons of outside issuers to accounts. (contract 5.6.6)

import type { AccountsModel } from '../../resource/model/model.ts'
import { type Dialect, quote } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'

export interface OutsidePerson {
  readonly issuer: string
  readonly subject: string
}
/** `role` is null if the account may not act. */
export interface OutsideAccount {
  readonly id: string
  readonly role: string | null
}
export interface OutsideAccountStore {
  find(person: OutsidePerson): Program<OutsideAccount | null>
  /** Fails with UniqueViolation if the person has an account. */
  add(person: OutsidePerson, userId: string, now: Date): Program<void>
  /** Accounts created for the issuer's persons after that moment, counted up to a limit. */
  countAfter(issuer: string, after: Date, limit: number): Program<number>
}

/** A row outlives its account, so that a person whose account was deleted gets no new one. */
export const outsideAccountTable = { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
function table(moment: string): readonly string[] {
  return [
    'create table if not exists duet_outside_account (issuer text not null, subject text not null, user_id text not null, ' +
      `created_at ${moment} not null, primary key (issuer, subject))`,
    'create index if not exists duet_outside_account_age on duet_outside_account (issuer, created_at)',
  ]
}

export function createOutsideAccountStore(
  { resource, role, status, activeState }: AccountsModel,
  dialect: Dialect,
): OutsideAccountStore {
  const p = (number: number) => dialect.parameter(number)
  const columns = [role.name, status.name, 'deleted_at'].map((name) => `u.${quote(name)}`).join(', ')
  const find = query(
    `select l.user_id, ${columns} from duet_outside_account l left join ${quote(resource.table)} u on u."id" = l.user_id ` +
      `where l.issuer = ${p(1)} and l.subject = ${p(2)}`,
  )
  const insert = command(
    `insert into duet_outside_account (issuer, subject, user_id, created_at) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)})`,
  )
  const count = query(
    `select count(*) from (select 1 from duet_outside_account where issuer = ${p(1)} and created_at > ${p(2)} limit ${p(3)}) n`,
  )
  return {
    *find({ issuer, subject }) {
      const [row] = yield bind(find, issuer, subject)
      if (row === undefined) return null
      const [id, itsRole, itsStatus, deletedAt] = row as [string, string | null, string | null, string | null]
      return { id, role: itsStatus === activeState && deletedAt === null ? itsRole : null }
    },
    *add({ issuer, subject }, userId, now) {
      yield bind(insert, issuer, subject, userId, dialect.encode(now, 'timestamp'))
    },
    *countAfter(issuer, after, limit) {
      const [row] = yield bind(count, issuer, dialect.encode(after, 'timestamp'), limit)
      return Number(row![0])
    },
  }
}
