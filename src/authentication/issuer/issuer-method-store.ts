// Which record of `SignInMethod` a person of an issuer has, so that their owner sees and removes it. (contract 5.16.6)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import type { SignInMethodStore } from '../method/factor/sign-in-method-store.ts'
import type { OutsidePerson } from './outside-account-store.ts'

export const issuerMethodTable = { create: { sqlite: table(), postgres: table() } }
function table(): readonly string[] {
  return [
    'create table if not exists duet_issuer_method (method_id text primary key, issuer text not null, subject text not null, ' +
      'unique (issuer, subject))',
  ]
}

export interface IssuerMethodStore {
  /** Notes that the person signs in now, with a record if there is none, and returns its id. The account must be locked. */
  note(person: OutsidePerson, userId: string, name: string, now: Date): Program<string>
}

export function createIssuerMethodStore(methods: SignInMethodStore, dialect: Dialect): IssuerMethodStore {
  const p = (number: number) => dialect.parameter(number)
  const find = query(`select method_id from duet_issuer_method where issuer = ${p(1)} and subject = ${p(2)}`)
  const insert = command(
    `insert into duet_issuer_method (method_id, issuer, subject) values (${p(1)}, ${p(2)}, ${p(3)})`,
  )
  return {
    *note({ issuer, subject }, userId, name, now) {
      const [row] = yield bind(find, issuer, subject)
      const id = row === undefined ? yield* methods.add(userId, 'issuer', name, now) : String(row[0])
      if (row === undefined) yield bind(insert, id, issuer, subject)
      yield* methods.touch(id, now)
      return id
    },
  }
}
