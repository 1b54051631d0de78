// Tokens that were mailed to an address: hashed, used once, bound to an account and the address. (contract 5.11, 5.12)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../store/store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../secret-rows.ts'

export const addressTokenTable = secretTable(
  'duet_address_token',
  'kind text not null, user_id text not null, address text not null, challenge text, failures integer not null',
)

/** What the token proves: the address of the account, a new address for it, or that a sign-in began here. */
export type AddressTokenKind = 'verify' | 'change' | 'magic'
export interface AddressToken {
  readonly kind: AddressTokenKind
  readonly userId: string
  readonly address: string
  /** Of a magic link: the code challenge. */
  readonly challenge: string | null
  readonly expiresAt: Date
}

export interface AddressTokenStore extends Pick<SecretRows, 'use' | 'sweep'> {
  /** `formerHash` is the token of the same mail's last attempt. */
  replace(hash: string, formerHash: string | null, token: AddressToken): Program<void>
  find(hash: string): Program<AddressToken | null>
  /** Counts a wrong verifier; the fifth ends the token. */
  countFailure(hash: string): Program<void>
  /** Ends the tokens of the account, or those of one kind. */
  forget(userId: string, kind?: AddressTokenKind): Program<void>
}
const failuresMax = 5

export function createAddressTokenStore(dialect: Dialect): AddressTokenStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const insert = command(
    'insert into duet_address_token (hash, kind, user_id, address, challenge, failures, expires_at) ' +
      `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, 0, ${p(6)})`,
  )
  const find = query(
    `select kind, user_id, address, challenge, expires_at from duet_address_token where hash = ${p(1)}`,
  )
  const { use, forget, sweep } = createSecretRows('duet_address_token', dialect)
  const remove = command(`delete from duet_address_token where hash = ${p(1)}`)
  const countFailure = command(`update duet_address_token set failures = failures + 1 where hash = ${p(1)}`)
  const removeFailed = command(`delete from duet_address_token where hash = ${p(1)} and failures >= ${failuresMax}`)
  const forgetKind = command(`delete from duet_address_token where user_id = ${p(1)} and kind = ${p(2)}`)
  return {
    *replace(hash, formerHash, { kind, userId, address, challenge, expiresAt }) {
      if (formerHash !== null) yield bind(remove, formerHash)
      yield bind(insert, hash, kind, userId, address, challenge, moment(expiresAt))
    },
    *find(hash) {
      const [row] = yield bind(find, hash)
      if (row === undefined) return null
      const [kind, userId, address, challenge, expiresAt] = row as [
        AddressTokenKind,
        string,
        string,
        string | null,
        Value,
      ]
      return { kind, userId, address, challenge, expiresAt: dialect.decode(expiresAt, 'timestamp') as Date }
    },
    use,
    *countFailure(hash) {
      yield bind(countFailure, hash)
      yield bind(removeFailed, hash)
    },
    *forget(userId, kind) {
      if (kind === undefined) yield* forget(userId)
      else yield bind(forgetKind, userId, kind)
    },
    sweep,
  }
}
