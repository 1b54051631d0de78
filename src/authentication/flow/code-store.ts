// One-time codes that browsers carry to the client that began a flow, which exchanges them with its code verifier. (contract 5.16.4)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../secret-rows.ts'

/** What was proved: an account, or a person of an issuer who is to be linked to one. */
export type Proved =
  | {
      readonly purpose: 'sign-in'
      readonly userId: string
      /** Values of `amr`. */
      readonly methods: readonly string[]
      /** Whether no second factor is owed. */
      readonly isComplete: boolean
      /** Of access tokens, when it was proved; a later one ends the code. */
      readonly epoch: number
    }
  | { readonly purpose: 'link'; readonly name: string; readonly issuer: string; readonly subject: string }

export const codeTable = secretTable('duet_code', 'proved text not null, challenge text not null')

export interface CodeStore extends Pick<SecretRows, 'sweep'> {
  add(hash: string, proved: Proved, challenge: string, expiresAt: Date): Program<void>
  /** Uses the code up, and returns what it proves if the challenge is the code's. Of concurrent calls, one succeeds. */
  use(hash: string, challenge: string, now: Date): Program<Proved | null>
}

export function createCodeStore(dialect: Dialect): CodeStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const insert = command(
    `insert into duet_code (hash, proved, challenge, expires_at) values (${[1, 2, 3, 4].map(p).join(', ')})`,
  )
  const use = query(`delete from duet_code where hash = ${p(1)} returning proved, challenge, expires_at`)
  return {
    *add(hash, proved, challenge, expiresAt) {
      yield bind(insert, hash, JSON.stringify(proved), challenge, moment(expiresAt))
    },
    *use(hash, challenge, now) {
      const [row] = yield bind(use, hash)
      if (row === undefined) return null
      const isValid = row[1] === challenge && (dialect.decode(row[2]!, 'timestamp') as Date) > now
      return isValid ? (JSON.parse(String(row[0])) as Proved) : null
    },
    sweep: createSecretRows('duet_code', dialect).sweep,
  }
}
