// Whether a pooler between us and PostgreSQL keeps prepared statements apart. One that lends a server to each transaction, and
// knows nothing of them, lets the statements of several sessions meet on one server, which then refuses them at random.

import { randomBytes } from 'node:crypto'
import { Client, DatabaseError } from 'pg'
import { connectionConfig, type PostgresLimits } from './connection.ts'

/** A server that is lent in turn is the same one again unless somebody else came between: so often is that tried. */
const tries = 3

/** Fails with an Error that says so where prepared statements of two sessions meet. Two connections, for a moment. */
export async function requirePreparedStatements(url: string, limits: PostgresLimits): Promise<void> {
  const [one, other] = [new Client(connectionConfig(url, limits)), new Client(connectionConfig(url, limits))]
  for (const client of [one, other]) client.on('error', () => undefined)
  try {
    await one.connect()
    // A pooler tells its own number in the place of the server's.
    const { rows } = await one.query('select pg_backend_pid() as pid')
    if (rows[0].pid === Number((one as Client & { readonly processID: number }).processID)) return
    await other.connect()
    for (let tried = 0; tried < tries; tried++) {
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
