// One connection to PostgreSQL: how it is set up, how a statement is sent, and what its errors mean.

import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { type ClientBase, type ClientConfig, DatabaseError, types } from 'pg'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { LostRace } from '../program.ts'
import {
  type Bound,
  type ReadCounter,
  ReferenceViolation,
  type Statement,
  type StoreCounts,
  type StoredRow,
  UniqueViolation,
} from '../store.ts'
import type { WriteObstacle } from '../write-outage.ts'
import { type ParseValue, RowsQuery } from './rows-query.ts'

export type PostgresLimits = Pick<
  Limits,
  | 'poolSize'
  | 'connectTimeoutMs'
  | 'statementTimeoutMs'
  | 'effectTimeoutMs'
  | 'transactionAttempts'
  | 'writesPerCommit'
  | 'writesWaiting'
  | 'writeWaitMs'
  | 'readsWaiting'
  | 'preparedStatements'
  | 'abandonedSweepMs'
>

/**
 * Times are UTC in ISO form, as the dialect reads them. Compiling plans never pays for statements as short as ours. A
 * statement whose client is gone ends within a second, and with it its transaction and its locks.
 */
const session = '-c timezone=UTC -c datestyle=ISO,YMD -c jit=off -c client_connection_check_interval=1000'

/** What every connection is opened with. Statements may be sent before the ones before them are answered. */
export function connectionConfig(url: string, limits: PostgresLimits): ClientConfig {
  // The driver lets options in the URL replace these instead of joining them.
  const address = new URL(url)
  const urlOptions = address.searchParams.get('options') ?? ''
  address.searchParams.delete('options')
  return {
    connectionString: address.href,
    options: `${urlOptions} ${session}`.trim(),
    fallback_application_name: 'duet',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    // An idle transaction keeps its locks, and holds back every event after it, for no longer than this.
    idle_in_transaction_session_timeout: 2 * limits.effectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  }
}

const asNumber = (text: string): number => Number(text)
const asIs = (text: string): string => text
const parsers = new Map<number, ParseValue>([
  [types.builtins.BOOL, (text) => text === 't'],
  [types.builtins.INT2, asNumber],
  [types.builtins.INT4, asNumber],
  [types.builtins.INT8, asNumber],
  [types.builtins.OID, asNumber],
  [types.builtins.FLOAT4, asNumber],
  [types.builtins.FLOAT8, asNumber],
  [types.builtins.BYTEA, types.getTypeParser(types.builtins.BYTEA)],
])
const parserOf = (type: number): ParseValue => parsers.get(type) ?? asIs

/** A statement in flight. */
export interface Rejectable {
  /** Rejects at once; what the server still answers is left unread. */
  reject: (reason: unknown) => void
}
export interface GivingUp extends Rejectable {
  readonly settled: () => void
  /** The same, and has the server end the statement. */
  giveUp(reason: unknown): void
}

/**
 * Sends one statement of a program. Rejects with what `meaningOf` says. After `timeLimitMs` the connection is destroyed:
 * the server's own time limit should have ended the statement, so the server is out of reach.
 */
export function send(
  client: ClientBase,
  { statement, values, counter }: Bound,
  counts: StoreCounts,
  timeLimitMs: number | undefined,
  read?: GivingUp,
): Promise<readonly StoredRow[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly StoredRow[]>()
  const name = nameOf(statement)
  preparedBy(client).add(name)
  if (read !== undefined) read.reject = reject
  counts.statements++
  const count = counter === undefined ? null : countValues(counter, (reason) => read?.giveUp(reason))
  const fail = (error: unknown): void => {
    read?.settled()
    count?.undo()
    reject(meaningOf(error))
  }
  const query = new RowsQuery(
    { name, text: statement.sql, values, parserOf: count?.parserOf ?? parserOf, timeLimitMs },
    (error, answer) => {
      if (answer === undefined) return fail(error)
      read?.settled()
      const { rows, fields } = answer
      counts.rows += rows.length
      resolve((statement.namesColumns === true ? [fields.map((each) => each.name), ...rows] : rows) as StoredRow[])
    },
  )
  // What throws here was never sent. It is settled all the same, or cancellation would go on watching it.
  try {
    client.query(query)
  } catch (error) {
    fail(error)
  }
  return promise
}

/** Parsers that count what they parse. Once one has thrown, the rows that follow are skipped, and the statement fails. */
function countValues(counter: ReadCounter, tooMany: (reason: unknown) => void) {
  let chars = 0
  const add = (text: string): void => {
    chars += text.length
    try {
      counter.addRead(text.length)
    } catch (error) {
      tooMany(error)
      throw error
    }
  }
  const countingParserOf = (type: number): ParseValue => {
    const parse = parserOf(type)
    return (text) => {
      add(text)
      return parse(text)
    }
  }
  // Another connection may be asked for the same again.
  return { parserOf: countingParserOf, undo: () => counter.addRead(-chars) }
}

/** Closes the socket at once. The server notices by itself, and nobody waits for what it still answers. */
export function destroy(client: ClientBase): void {
  const { connection } = client as ClientBase & { readonly connection: { readonly stream: Socket } }
  connection.stream.destroy()
}

/** True for a connection with so many prepared statements that a new one should replace it. */
export const isWornOut = (client: ClientBase, limits: PostgresLimits): boolean =>
  preparedBy(client).size > limits.preparedStatements

const preparedBy = (client: ClientBase): Set<string> => getOrInsert(prepared, client, () => new Set<string>())
const prepared = new WeakMap<ClientBase, Set<string>>()

/** The same text has the same name, whoever made the statement. */
const nameOf = (statement: Statement): string =>
  getOrInsert(names, statement, () => `d${hash('sha256', statement.sql).slice(0, 32)}`)
const names = new WeakMap<Statement, string>()

/** Maps errors of PostgreSQL and of the connection to those of `Store`. Other errors are bugs and stay as they are. */
export function meaningOf(error: unknown): unknown {
  if (error instanceof Failure) return error
  if (!(error instanceof DatabaseError)) return error instanceof Error && isLoss(error) ? unavailable(error) : error
  const { code = '', constraint = '' } = error
  if (code === '23505') return new UniqueViolation(constraint)
  if (code === '23503') return new ReferenceViolation(constraint)
  // Could not serialize, or was chosen to end a deadlock.
  if (code === '40001' || code === '40P01') return new LostRace(error)
  return passing.test(code) ? unavailable(error) : error
}
/** Connection, credentials, database, resources, shutdown and time limits, system errors, closed databases, locks, standbys. */
const passing = /^(08|28|3D|53|57|58|25006|25P03|55000|55P03)/
const isLoss = (error: Error): boolean => 'code' in error || lost.test(error.message)
const lost =
  /^(Connection terminated|timeout e|Query read timeout|Client (was closed|has encountered)|Cannot use a pool)/

/** True where the connection is gone, and with another one the statement may succeed. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return false
  const { cause } = error
  if (cause instanceof DatabaseError) return /^(08|57P0[123])/.test(cause.code ?? '')
  return 'code' in cause || /^(Connection terminated|Client has encountered)/.test(cause.message)
}

/** Why nothing can be written: the server is a standby or read-only, or its disk is full. */
export function obstacleIn(error: unknown): WriteObstacle | null {
  if (!(error instanceof DatabaseError)) return null
  if (error.code === '53100') return 'full'
  return error.code === '25006' ? 'read-only' : null
}

/** True where the server ended a statement: in its time limit, or because it was asked to. */
export const isCancelled = (error: unknown): boolean => isOfState(error, '57014')

/** True where the server ended a statement because it waited too long for a lock. */
export const isLockTimeout = (error: unknown): boolean => isOfState(error, '55P03')

const isOfState = (error: unknown, state: string): boolean =>
  error instanceof Failure && error.cause instanceof DatabaseError && error.cause.code === state

export const unavailable = (cause: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause })
