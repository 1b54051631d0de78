// Detects a pooler that mixes prepared statements of several sessions, which then fail at random.

import { randomBytes } from 'node:crypto'
import { Client, DatabaseError } from 'pg'
import { connectionConfig, type PostgresLimits } from './connection.ts'

/** The pooler assigns the same server connection again unless another client came between, hence several attempts. */
const attempts = 3

/** Throws if prepared statements of two sessions meet. Briefly uses two connections. */
export async function requirePreparedStatements(url: string, limits: PostgresLimits): Promise<void> {
  const [one, other] = [new Client(connectionConfig(url, limits)), new Client(connectionConfig(url, limits))]
  for (const client of [one, other]) client.on('error', () => undefined)
  try {
    await one.connect()
    // A pooler reports its own process id instead of the server's.
    const { rows } = await one.query('select pg_backend_pid() as pid')
    if (rows[0].pid === Number((one as Client & { readonly processID: number }).processID)) return
    await other.connect()
    for (let attempt = 0; attempt < attempts; attempt++) {
      const name = `duet_${randomBytes(8).toString('hex')}`
      for (const client of [one, other]) await client.query({ name, text: 'select 1' })
    }
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '42P05') throw error
    throw new Error(
      'it is a pooler that lends connections by transaction and mixes up prepared statements: use PgBouncer 1.21 or newer ' +
        'with max_prepared_statements, or pool_mode = session, or name the server itself',
      { cause: error },
    )
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => undefined)))
  }
}
