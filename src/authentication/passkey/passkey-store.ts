// Passkeys: public keys with the account whose sign-in method each is. (contract 5.15)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, type Program, query, type Value } from '../../store/store.ts'

export const passkeyTable = { create: { sqlite: table(), postgres: table() } }
function table(): readonly string[] {
  return [
    'create table if not exists duet_passkey (credential_id text primary key, method_id text not null, user_id text not null, ' +
      'handle text not null, public_key text not null, counter bigint not null)',
    'create index if not exists duet_passkey_method on duet_passkey (method_id)',
    'create index if not exists duet_passkey_user on duet_passkey (user_id)',
  ]
}

export interface Passkey {
  readonly credentialId: string
  /** Its `SignInMethod`. */
  readonly methodId: string
  readonly userId: string
  /** The random name of the account in the authenticator. */
  readonly handle: string
  readonly publicKey: string
  readonly counter: number
}

export interface PasskeyStore {
  find(credentialId: string): Program<Passkey | null>
  /** Those of an account, the oldest first. */
  of(userId: string): Program<readonly Passkey[]>
  /** False if the credential belongs to an account. */
  add(passkey: Passkey): Program<boolean>
  /** False if the counter is not greater than the last one, unless both are zero. */
  count(credentialId: string, counter: number): Program<boolean>
}

export function createPasskeyStore(dialect: Dialect): PasskeyStore {
  const p = (number: number) => dialect.parameter(number)
  const columns = 'credential_id, method_id, user_id, handle, public_key, counter'
  const find = query(`select ${columns} from duet_passkey where credential_id = ${p(1)}`)
  const byUser = query(`select ${columns} from duet_passkey where user_id = ${p(1)} order by method_id`)
  const add = query(
    `insert into duet_passkey (${columns}) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(6)}) ` +
      'on conflict (credential_id) do nothing returning 1',
  )
  const count = query(
    `update duet_passkey set counter = ${p(1)} where credential_id = ${p(2)} and ` +
      `(counter < ${p(1)} or (counter = 0 and ${p(1)} = 0)) returning 1`,
  )
  return {
    *find(credentialId) {
      const [row] = yield bind(find, credentialId)
      return row === undefined ? null : passkeyOf(row)
    },
    *of(userId) {
      const rows = yield bind(byUser, userId)
      return rows.map(passkeyOf)
    },
    *add({ credentialId, methodId, userId, handle, publicKey, counter }) {
      const rows = yield bind(add, credentialId, methodId, userId, handle, publicKey, counter)
      return rows.length > 0
    },
    *count(credentialId, counter) {
      const rows = yield bind(count, counter, credentialId)
      return rows.length > 0
    },
  }
}

function passkeyOf([credentialId, methodId, userId, handle, publicKey, counter]: readonly Value[]): Passkey {
  return {
    credentialId: String(credentialId),
    methodId: String(methodId),
    userId: String(userId),
    handle: String(handle),
    publicKey: String(publicKey),
    counter: Number(counter),
  }
}
