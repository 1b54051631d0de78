// Finds out what stands between a service and its server: a pooler may lend connections by transaction, and mix up the prepared
// statements of several sessions, which then fail at random.

import { randomBytes } from 'node:crypto'
import { Client, DatabaseError } from 'pg'
import { connectionConfig, type PostgresLimits } from './connection.ts'

export interface Pooling {
  readonly lends: 'nothing' | 'sessions' | 'transactions'
  /** Statements must have no names. */
  readonly mixesStatements: boolean
}
export const noPooler: Pooling = { lends: 'nothing', mixesStatements: false }

/** The pooler lends the same server connection again unless another client came between, hence several attempts. */
const attempts = 3

/** Briefly uses one connection, or two of a pooler. */
export async function examinePooling(url: string, limits: PostgresLimits): Promise<Pooling> {
  const [one, other] = [new Client(connectionConfig(url, limits)), new Client(connectionConfig(url, limits))]
  for (const client of [one, other]) client.on('error', () => undefined)
  try {
    await one.connect()
    // A pooler reports its own process id instead of the server's.
    if ((await processIdOf(one)) === (one as Client & { readonly processID: number }).processID) return noPooler
    await other.connect()
    if (!(await shareConnection(one, other))) return { lends: 'sessions', mixesStatements: false }
    return { lends: 'transactions', mixesStatements: await mixStatements(one, other) }
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => undefined)))
  }
}

async function processIdOf(client: Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return Number(rows[0].pid)
}

async function shareConnection(one: Client, other: Client): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++)
    if ((await processIdOf(one)) === (await processIdOf(other))) return true
  return false
}

async function mixStatements(one: Client, other: Client): Promise<boolean> {
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const name = `duet_${randomBytes(8).toString('hex')}`
      for (const client of [one, other, one]) await client.query({ name, text: 'select 1' })
    }
    return false
  } catch (error) {
    // One exists already, or does not exist.
    if (error instanceof DatabaseError && (error.code === '42P05' || error.code === '26000')) return true
    throw error
  }
}
