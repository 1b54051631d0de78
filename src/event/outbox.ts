// The outbox: events are rows of the causing transaction, read by every instance in one order without gaps. (contract 6.1.4)

import { randomUUID } from 'node:crypto'
import { executeTogether } from '../store/combine.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, type Program, rowsOf, type Statement, type Store, type StoredRow } from '../store/store.ts'
import { type OutboxStatements, outboxStatements } from './outbox-statements.ts'

export interface OutboxEvent {
  /** For the log and reactions; clients see `ResumeIds`. */
  readonly id: string
  readonly position: Position
  readonly name: string
  readonly resource: string
  readonly recordId: string
  readonly by: string | null
  /** Of its `changed` fields; null if it has none, `unknown` if another release wrote them. */
  readonly previous: PreviousValues | 'unknown' | null
  readonly at: Date
}
/** JSON values by field, each with whether it changed. */
export type PreviousValues = Readonly<Record<string, readonly [value: unknown, isChanged: boolean]>>
/** Releases that run next to each other share this form. (contract 0.2.9) */
export function readPrevious(text: string): PreviousValues | 'unknown' {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    return 'unknown'
  }
  const isKnown = (value: unknown) => Array.isArray(value) && value.length === 2 && typeof value[1] === 'boolean'
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values)
  return isObject && Object.values(values as object).every(isKnown) ? (values as PreviousValues) : 'unknown'
}
export interface NewEvent extends Pick<OutboxEvent, 'name' | 'by' | 'resource'> {
  readonly id: string
  readonly previous: string | null
}

/**
 * PostgreSQL orders by transaction, then number: numbers precede commits, so by number alone a slow transaction's events would
 * be skipped.
 */
export interface Position {
  readonly transaction: bigint
  readonly number: bigint
}
const start: Position = { transaction: 0n, number: 0n }

export const isBeyond = (one: Position, other: Position): boolean =>
  one.transaction > other.transaction || (one.transaction === other.transaction && one.number > other.number)

export const eventTables = {
  added: [{ table: 'duet_event', name: 'previous', type: 'text' }],
  create: {
    sqlite: [
      'create table if not exists duet_event (number integer primary key autoincrement, name text not null, resource text not null, record_id text not null, by_id text, at text not null, previous text)',
      'create table if not exists duet_event_epoch (epoch text primary key)',
    ],
    postgres: [
      'create table if not exists duet_event (number bigint generated always as identity primary key, transaction xid8 not null default pg_current_xact_id(), name text not null, resource text not null, record_id text not null, by_id text, at timestamptz(3) not null, previous text)',
      'create index if not exists duet_event_order on duet_event (transaction, number)',
      'create table if not exists duet_event_epoch (epoch text primary key)',
    ],
  },
}

export interface Poll {
  readonly events: readonly OutboxEvent[]
  readonly isHeldBack: boolean
}

export type Outbox = Awaited<ReturnType<typeof openOutbox>>

/** A new or restored database has a new epoch, so that older ids are invalid. */
export async function openOutbox(store: Store, dialect: Dialect) {
  const sql = outboxStatements(dialect)
  const epoch = await findEpoch(store, sql)
  const idOf = ({ transaction, number }: Position) => `${epoch}.${transaction}.${number}`
  const toEvent = ([number, transaction, name, resource, recordId, by, at, previous]: StoredRow): OutboxEvent => {
    const position = { transaction: BigInt(transaction as string | number), number: BigInt(number as string | number) }
    return {
      id: idOf(position),
      position,
      name: name as string,
      resource: resource as string,
      recordId: recordId as string,
      by: by as string | null,
      previous: previous === null ? null : readPrevious(previous as string),
      at: dialect.decode(at!, 'timestamp') as Date,
    }
  }
  const place = ({ transaction, number }: Position) =>
    dialect.engine === 'sqlite' ? [String(number)] : [String(transaction), String(number)]
  /** A single statement: may miss events behind a running transaction; `isHeldBack` then says so. */
  async function poll(position: Position, limit: number): Promise<Poll> {
    const rows = await store.read(rowsOf(sql.poll, ...place(position), limit))
    const settled = rows.findIndex((row) => row[8] === false)
    return { events: rows.slice(0, settled === -1 ? rows.length : settled).map(toEvent), isHeldBack: settled !== -1 }
  }
  function* settledAfter(position: Position, limit: number): Program<readonly StoredRow[]> {
    return yield bind(sql.after!, ...place(position), String(yield* settledBefore(sql.running!)), limit)
  }
  return {
    /** The prefix of every event id of this database. */
    epoch,
    *emit(events: readonly NewEvent[], now: Date): Program<void> {
      const at = dialect.encode(now, 'timestamp')
      yield* executeTogether(
        events.map(({ name, resource, id, by, previous }) => bind(sql.insert, name, resource, id, by, at, previous)),
      )
    },
    poll,
    /** The next events; every later commit comes after them. */
    async after(position: Position, limit: number): Promise<readonly OutboxEvent[]> {
      const { events, isHeldBack } = await poll(position, limit)
      return isHeldBack ? (await store.read(settledAfter(position, limit))).map(toEvent) : events
    },
    /** The position before all future events. */
    async end(): Promise<Position> {
      const row = await store.read(lastOf(sql))
      return row === undefined
        ? start
        : { transaction: BigInt(row[1] as string | number), number: BigInt(row[0] as string | number) }
    },
    /** Whether this event was deleted, and so perhaps later ones. */
    async isForgotten({ number }: Position): Promise<boolean> {
      // The oldest are deleted first: while an event exists, so do all later ones.
      if (number !== start.number) return (await store.read(rowsOf(sql.find, String(number)))).length === 0
      const [[first]] = (await store.read(rowsOf(sql.first))) as [StoredRow]
      return first !== null && BigInt(first as string | number) !== 1n
    },
    /**
     * Deletes a batch of events before this time; returns whether there may be more. Keeps the last, so that a client that has
     * seen it has missed nothing.
     */
    async forget(before: Date, atMost: number): Promise<boolean> {
      const forgotten = await store.write(() => rowsOf(sql.forget, dialect.encode(before, 'timestamp'), atMost))
      return forgotten.length === atMost
    },
  }
}

function* lastOf({ end, running }: OutboxStatements): Program<StoredRow | undefined> {
  const before = running === null ? [] : [String(yield* settledBefore(running))]
  return (yield bind(end, ...before))[0]
}

/** PostgreSQL: every transaction with a smaller id has ended and is visible. Other databases of the server do not matter. */
function* settledBefore(running: Statement): Program<bigint> {
  const [row] = yield bind(running)
  const [next, oldest, ids, areHidden] = row as [string, string, string, boolean]
  if (areHidden) return BigInt(oldest)
  const horizon = BigInt(next)
  return ids.split(',').reduce((least, id) => {
    if (id === '') return least
    const full = widened(BigInt(id), horizon)
    return full < least ? full : least
  }, horizon)
}

/** PostgreSQL shows 32 bits; recent transactions are younger than the next id. */
const widened = (id: bigint, horizon: bigint): bigint => horizon + BigInt.asIntN(32, id - horizon)

async function findEpoch(store: Store, { epoch, lockEpoch, insertEpoch }: OutboxStatements): Promise<string> {
  function* find(): Program<string | null> {
    const [row] = yield bind(epoch)
    return row === undefined ? null : (row[0] as string)
  }
  const epochBefore = await store.read(find())
  if (epochBefore !== null) return epochBefore
  return store.write(function* () {
    // Instances that start together agree on one.
    if (lockEpoch !== null) yield bind(lockEpoch)
    const first = yield* find()
    if (first !== null) return first
    yield bind(insertEpoch, randomUUID())
    return (yield* find())!
  })
}
