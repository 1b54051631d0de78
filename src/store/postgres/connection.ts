// One connection to PostgreSQL: its settings, its statements, its errors.

import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import {
  type ClientBase,
  type ClientConfig,
  DatabaseError,
  type QueryArrayConfig,
  type QueryArrayResult,
  types,
} from 'pg'
import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { LockTimeout, LostRace, unavailable } from '../program.ts'
import {
  type Bound,
  type ReadCounter,
  ReferenceViolation,
  type Statement,
  type StoreCounts,
  type StoredRow,
  UniqueViolation,
  type Value,
} from '../store.ts'
import type { WriteObstacle } from '../write-outage.ts'

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
  | 'readBlockingMs'
  | 'preparedStatements'
  | 'preparedStatementChars'
  | 'abandonedSweepMs'
>

/**
 * Settings of every session: UTC and ISO times, all digits, full results of indexes. No JIT, since statements are short. A
 * statement whose client is gone ends within a second. (contract 0.1.11)
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  // Abbreviations win over names of time zones, such as EST and CET.
  timezone_abbreviations: 'Default',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  gin_fuzzy_search_limit: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  jit: 'off',
  client_connection_check_interval: '1s',
}
const session = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ')

export function connectionConfig(url: string, limits: PostgresLimits): ClientConfig {
  // The driver would let options in the URL replace these.
  const address = new URL(url)
  const urlOptions = address.searchParams.get('options') ?? ''
  address.searchParams.delete('options')
  address.searchParams.delete('target_session_attrs')
  return {
    connectionString: address.href,
    options: `${urlOptions} ${session}`.trim(),
    fallback_application_name: 'duet',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    // An idle transaction keeps its locks and holds back later events.
    idle_in_transaction_session_timeout: 2 * limits.effectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  }
}

/** Parses the text form of a type. Throwing fails the statement after the server has answered. */
type ParseValue = (text: string) => unknown
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

export interface Rejectable {
  /** Rejects at once; the rest of the answer is ignored. */
  reject: (reason: unknown) => void
}
export interface GivingUp extends Rejectable {
  readonly settled: () => void
  /** Rejects at once and cancels the statement. */
  giveUp(reason: unknown): void
}

/**
 * Rejects with what `meaningOf` returns. After `timeLimitMs` the connection is destroyed: the server's own limit did not act,
 * so it is unreachable.
 */
export function send(
  client: ClientBase,
  { statement, values, counter }: Bound,
  counts: StoreCounts,
  timeLimitMs: number | undefined,
  read?: GivingUp,
): Promise<readonly StoredRow[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly StoredRow[]>()
  const name = unnamed.has(client) ? undefined : nameOf(statement)
  if (name !== undefined) notePrepared(client, name, statement)
  if (read !== undefined) read.reject = reject
  counts.statements++
  const count = counter === undefined ? null : countValues(counter, (reason) => read?.giveUp(reason))
  const fail = (error: unknown): void => {
    read?.settled()
    count?.undo()
    reject(meaningOf(error))
  }
  const query: QueryArrayConfig & { readonly query_timeout: number | undefined } = {
    ...(name === undefined ? {} : { name }),
    text: statement.sql,
    values: values as Value[],
    rowMode: 'array',
    types: { getTypeParser: (count?.parserOf ?? parserOf) as typeof types.getTypeParser },
    query_timeout: timeLimitMs,
  }
  gather(client)
  // A statement never sent must be settled too, or cancellation would watch it.
  try {
    client.query(query, (error: unknown, answer?: QueryArrayResult<Value[]>) => {
      if (answer === undefined) return fail(error)
      read?.settled()
      const { rows, fields } = answer
      counts.rows += rows.length
      resolve(statement.namesColumns === true ? [fields.map((each) => each.name), ...rows] : rows)
    })
  } catch (error) {
    fail(error)
  }
  return promise
}

/** After one parser throws, later rows are skipped and the statement fails. */
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
  // Another connection may read it again.
  return { parserOf: countingParserOf, undo: () => counter.addRead(-chars) }
}

/** Closes the socket at once. */
export const destroy = (client: ClientBase): void => void socketOf(client).destroy()

/** Whatever is sent from now until the end of this operation is one write to the socket. */
export function gather(client: ClientBase): void {
  const socket = socketOf(client)
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

const socketOf = (client: ClientBase): Socket =>
  (client as ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Whether a connection has so many or long prepared statements that it should be replaced. (contract 8.4.5) */
export function isWornOut(client: ClientBase, limits: PostgresLimits): boolean {
  const { names, chars } = preparedBy(client)
  return names.size > limits.preparedStatements || chars > limits.preparedStatementChars
}

interface PreparedStatements {
  readonly names: Set<string>
  chars: number
}
const preparedBy = memoize((_: ClientBase): PreparedStatements => ({ names: new Set<string>(), chars: 0 }))

function notePrepared(client: ClientBase, name: string, { sql }: Statement): void {
  const statements = preparedBy(client)
  if (statements.names.has(name)) return
  statements.names.add(name)
  statements.chars += sql.length
}

/** Its statements are prepared each time: it belongs to a pooler that mixes them up. */
export const leaveUnnamed = (client: ClientBase): void => void unnamed.add(client)
const unnamed = new WeakSet<ClientBase>()

const nameOf = memoize(({ sql }: Statement) => `d${hash('sha256', sql).slice(0, 32)}`)

/** Maps errors to those of `Store`. Other errors are bugs. */
export function meaningOf(error: unknown): unknown {
  if (error instanceof Failure) return error
  if (!(error instanceof DatabaseError)) return error instanceof Error && isLoss(error) ? unavailable(error) : error
  const { code = '', constraint = '' } = error
  if (code === '23505') return new UniqueViolation(constraint)
  if (code === '23503') return new ReferenceViolation(constraint)
  // Serialization failure or deadlock.
  if (code === '40001' || code === '40P01') return new LostRace(error)
  if (code === '55P03') return unavailable(new LockTimeout(error))
  return passing.test(code) ? unavailable(error) : error
}
/** Connection, credentials, database, resources, shutdown and time limits, system errors, closed databases, standbys. */
const passing = /^(08|28|3D|53|57|58|25006|25P03|55000)/
const isLoss = (error: Error): boolean => 'code' in error || lost.test(error.message)
const lost =
  /^(Connection terminated|timeout e|Query read timeout|Client (was closed|has encountered)|Cannot use a pool)/

export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) return false
  const { cause } = error
  if (cause instanceof DatabaseError) return /^(08|57P0[123])/.test(cause.code ?? '')
  return 'code' in cause || /^(Connection terminated|Client has encountered)/.test(cause.message)
}

export function obstacleIn(error: unknown): WriteObstacle | null {
  if (!(error instanceof DatabaseError)) return null
  if (error.code === '53100') return 'full'
  return error.code === '25006' ? 'read-only' : null
}

export const isCancelled = (error: unknown): boolean => isOfState(error, '57014')

const isOfState = (error: unknown, state: string): boolean =>
  error instanceof Failure && error.cause instanceof DatabaseError && error.cause.code === state
