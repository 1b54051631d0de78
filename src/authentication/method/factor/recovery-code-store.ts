// Recovery codes: ten of 80 random bits per account, hashed, each used once. (contract 5.14.4)

import { createHash, randomBytes } from 'node:crypto'
import type { Dialect } from '../../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../../store/store.ts'

export const recoveryCodeTable = { create: { sqlite: table(), postgres: table() } }
function table(): readonly string[] {
  return [
    'create table if not exists duet_recovery_code (user_id text not null, hash text not null, primary key (user_id, hash))',
  ]
}

export interface RecoveryCodeStore {
  has(userId: string): Program<boolean>
  /** Replaces those of the account. */
  replace(userId: string, codes: readonly string[]): Program<void>
  /** False if there is no such code, or none any more. */
  use(userId: string, code: string): Program<boolean>
  forget(userId: string): Program<void>
}

/** Ten codes such as `k3vq-7m2d-aahe-x4pz`. */
export const makeRecoveryCodes = (): readonly string[] => Array.from({ length: 10 }, makeCode)
function makeCode(): string {
  let bits = BigInt(`0x${randomBytes(10).toString('hex')}`)
  let text = ''
  for (let index = 0; index < 16; index++) {
    text += alphabet[Number(bits & 31n)]
    bits >>= 5n
  }
  return text.match(/.{4}/g)!.join('-')
}
/** Base32 of RFC 4648, in lower case. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** In any case, with or without hyphens and spaces. */
const hashOf = (code: string): string =>
  createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest('base64url')

export function createRecoveryCodeStore(dialect: Dialect): RecoveryCodeStore {
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)]
  const has = query(`select 1 from duet_recovery_code where user_id = ${first} limit 1`)
  const insert = command(`insert into duet_recovery_code (user_id, hash) values (${first}, ${second})`)
  const use = query(`delete from duet_recovery_code where user_id = ${first} and hash = ${second} returning 1`)
  const forget = command(`delete from duet_recovery_code where user_id = ${first}`)
  return {
    *has(userId) {
      const rows = yield bind(has, userId)
      return rows.length > 0
    },
    *replace(userId, codes) {
      yield bind(forget, userId)
      for (const code of codes) yield bind(insert, userId, hashOf(code))
    },
    *use(userId, code) {
      const rows = yield bind(use, userId, hashOf(code))
      return rows.length > 0
    },
    *forget(userId) {
      yield bind(forget, userId)
    },
  }
}
