// When and how the account of a session last proved who it is; only in services with `accounts.methods`. (contract 5.10.1)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import type { SessionAuthentication } from '../token/access-token.ts'

/** One row per session; swept once its refresh tokens are gone. */
export const sessionAuthenticationTable = { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
function table(moment: string): readonly string[] {
  return [
    `create table if not exists duet_session_authentication (session_id text primary key, at ${moment} not null, methods text not null)`,
  ]
}

export interface SessionAuthentications {
  put(sessionId: string, authentication: SessionAuthentication): Program<void>
  /** Null for a session that was opened before the service had methods. */
  find(sessionId: string): Program<SessionAuthentication | null>
  /** Deletes a batch of those whose session has no refresh token. */
  sweep(): Program<void>
}
const chunk = 1_000

export function createSessionAuthentications(dialect: Dialect): SessionAuthentications {
  const p = (number: number) => dialect.parameter(number)
  const put = command(
    `insert into duet_session_authentication (session_id, at, methods) values (${p(1)}, ${p(2)}, ${p(3)}) ` +
      'on conflict (session_id) do update set at = excluded.at, methods = excluded.methods',
  )
  const find = query(`select at, methods from duet_session_authentication where session_id = ${p(1)}`)
  const ended =
    'select a.session_id from duet_session_authentication a where not exists ' +
    `(select 1 from duet_refresh_token t where t.session_id = a.session_id) limit ${p(1)}`
  const sweep = command(`delete from duet_session_authentication where session_id in (${ended})`)
  return {
    *put(sessionId, { at, methods }) {
      yield bind(put, sessionId, dialect.encode(at, 'timestamp'), methods.join(' '))
    },
    *find(sessionId) {
      const [row] = yield bind(find, sessionId)
      if (row === undefined) return null
      return { at: dialect.decode(row[0]!, 'timestamp') as Date, methods: String(row[1]).split(' ') }
    },
    *sweep() {
      yield bind(sweep, chunk)
    },
  }
}
