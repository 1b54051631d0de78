// The outbox: events are rows, written in the transaction that causes them, and read by every instance in one order that
// all agree on and that skips none. (contract 6)

import { randomUUID } from 'node:crypto'
import type { Dialect } from '../store/sql/dialect.ts'
import { bind, command, type Program, query, type Statement, type Store, type StoredRow } from '../store/store.ts'

/** Something that happened to a record. */
export interface OutboxEvent {
  /** Orders all events of one database; opaque to clients. */
  readonly id: string
  readonly position: Position
  readonly name: string
  readonly resource: string
  readonly recordId: string
  /** The id of the record that subscribers name, for an event `by` a relation. */
  readonly by: string | null
  readonly at: Date
}
export type NewEvent = Pick<OutboxEvent, 'name' | 'by'> & { readonly resource: string; readonly id: string }

/**
 * Where an event stands: on PostgreSQL by its transaction, then by its number. Numbers are taken before commits, so that
 * by number alone a slow transaction's events would be passed over; on SQLite there is one writer and no such race.
 */
export interface Position {
  readonly transaction: bigint
  readonly number: bigint
}
const start: Position = { transaction: 0n, number: 0n }

export const eventTables = {
  create: {
    sqlite: [
      'create table if not exists duet_event (number integer primary key autoincrement, name text not null, resource text not null, record_id text not null, by_id text, at text not null)',
      'create table if not exists duet_event_epoch (epoch text primary key)',
    ],
    postgres: [
      'create table if not exists duet_event (number bigint generated always as identity primary key, transaction xid8 not null default pg_current_xact_id(), name text not null, resource text not null, record_id text not null, by_id text, at timestamptz(3) not null)',
      'create index if not exists duet_event_order on duet_event (transaction, number)',
      'create table if not exists duet_event_epoch (epoch text primary key)',
    ],
  },
}

export interface Outbox {
  /** Writes events into the transaction that they belong to. */
  emit(events: readonly NewEvent[], now: Date): Program<void>
  /** The next events after this position, at most `limit`; all that commit later come later. */
  after(position: Position, limit: number): Promise<readonly OutboxEvent[]>
  /** The position after which everything is still to come. */
  end(): Promise<Position>
  /** The position that an event id stands for; null where it is none of this database's. */
  position(id: string): Position | null
  /** Whether the event at this position was forgotten, and so perhaps others after it. */
  isForgotten(position: Position): Promise<boolean>
  /** Forgets events older than `before`. */
  forget(before: Date): Promise<void>
}

/** A database that was made anew or restored has another epoch: ids of before mean nothing in it. */
export async function openOutbox(store: Store, dialect: Dialect): Promise<Outbox> {
  const sql = statements(dialect)
  const epoch = await findEpoch(store, sql)
  const toEvent = ([number, transaction, name, resource, recordId, by, at]: StoredRow): OutboxEvent => {
    const position = { transaction: BigInt(transaction as string | number), number: BigInt(number as string | number) }
    return {
      id: `${epoch}.${position.transaction}.${position.number}`,
      position,
      name: name as string,
      resource: resource as string,
      recordId: recordId as string,
      by: by as string | null,
      at: dialect.decode(at!, 'timestamp') as Date,
    }
  }
  const place = ({ transaction, number }: Position) =>
    dialect.engine === 'sqlite' ? [String(number)] : [String(transaction), String(number)]
  function* select(position: Position, limit: number): Program<readonly StoredRow[]> {
    if (sql.running === null) return yield bind(sql.after, ...place(position), limit)
    // Nearly always there is nothing new, and that is known from one look.
    if ((yield bind(sql.any!, ...place(position))).length === 0) return []
    return yield bind(sql.after, ...place(position), String(yield* settledBefore(sql.running)), limit)
  }
  function* rowOf(statement: typeof sql.end, ...values: readonly string[]): Program<StoredRow | undefined> {
    return (yield bind(statement, ...values))[0]
  }
  return {
    *emit(events, now) {
      const at = dialect.encode(now, 'timestamp')
      for (const { name, resource, id, by } of events) yield bind(sql.insert, name, resource, id, by, at)
      if (sql.notify !== null) yield bind(sql.notify)
    },
    after: async (position, limit) => (await store.read(select(position, limit))).map(toEvent),
    async end() {
      const row = await store.read(lastOf(sql))
      return row === undefined
        ? start
        : { transaction: BigInt(row[1] as string | number), number: BigInt(row[0] as string | number) }
    },
    position(id) {
      const parts = /^([\w-]{1,64})\.(\d{1,20})\.(\d{1,20})$/.exec(id)
      return parts === null || parts[1] !== epoch ? null : { transaction: BigInt(parts[2]!), number: BigInt(parts[3]!) }
    },
    // The oldest go first: while an event is kept, so is everything after it.
    isForgotten: async ({ number }) => (await store.read(rowOf(sql.find, String(number)))) === undefined,
    async forget(before) {
      await store.write(function* () {
        yield bind(sql.forget, dialect.encode(before, 'timestamp'))
      })
    },
  }
}

function* lastOf({ end, running }: ReturnType<typeof statements>): Program<StoredRow | undefined> {
  const before = running === null ? [] : [String(yield* settledBefore(running))]
  return (yield bind(end, ...before))[0]
}

/**
 * PostgreSQL: every transaction of this database with a smaller id has ended, and what it committed is there for the next
 * statement to see. Those of other databases on the same server, however long they take, do not matter.
 */
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

/** Running transactions are told with 32 bits; none is younger than the next id. */
function widened(id: bigint, horizon: bigint): bigint {
  const full = (horizon & ~0xffff_ffffn) | id
  return full > horizon ? full - 0x1_0000_0000n : full
}

async function findEpoch(store: Store, { epoch, insertEpoch }: ReturnType<typeof statements>): Promise<string> {
  function* find(): Program<string | null> {
    const [row] = yield bind(epoch)
    return row === undefined ? null : (row[0] as string)
  }
  const known = await store.read(find())
  if (known !== null) return known
  return store.write(function* () {
    const first = yield* find()
    if (first !== null) return first
    yield bind(insertEpoch, randomUUID())
    return (yield* find())!
  })
}

/** What a waiting instance listens to. */
export const eventChannel = 'duet_event'

function statements({ engine, parameter: p }: Dialect) {
  const columns =
    engine === 'sqlite'
      ? 'number, 0, name, resource, record_id, by_id, at'
      : 'number, transaction::text, name, resource, record_id, by_id, at'
  const beyond = `(transaction, number) > (${p(1)}::text::xid8, ${p(2)}::bigint)`
  return {
    insert: command(
      `insert into duet_event (name, resource, record_id, by_id, at) values (${[1, 2, 3, 4, 5].map(p).join(', ')})`,
    ),
    notify: engine === 'sqlite' ? null : command(`notify ${eventChannel}`),
    any: engine === 'sqlite' ? null : query(`select 1 from duet_event where ${beyond} limit 1`),
    // The snapshot is older than the look at who is running: whoever had begun to write before it is still there to be
    // seen, or has ended. Sessions of other roles may be hidden; then the server's own, more cautious word is taken.
    running:
      engine === 'sqlite'
        ? null
        : query(
            'select pg_snapshot_xmax(pg_current_snapshot())::text, pg_snapshot_xmin(pg_current_snapshot())::text, ' +
              "coalesce(string_agg(backend_xid::text, ','), ''), coalesce(bool_or(query = '<insufficient privilege>'), false) " +
              'from pg_stat_activity where datname = current_database()',
          ),
    after:
      engine === 'sqlite'
        ? query(`select ${columns} from duet_event where number > ${p(1)} order by number limit ${p(2)}`)
        : query(
            `select ${columns} from duet_event where ${beyond} and transaction < ${p(3)}::text::xid8 ` +
              `order by transaction, number limit ${p(4)}`,
          ),
    end: query(
      engine === 'sqlite'
        ? 'select number, 0 from duet_event order by number desc limit 1'
        : `select number, transaction::text from duet_event where transaction < ${p(1)}::text::xid8 ` +
            'order by transaction desc, number desc limit 1',
    ),
    find: query(`select 1 from duet_event where number = ${p(1)}`),
    forget: command(`delete from duet_event where at < ${p(1)}`),
    epoch: query('select epoch from duet_event_epoch limit 1'),
    insertEpoch: command(`insert into duet_event_epoch (epoch) values (${p(1)}) on conflict do nothing`),
  }
}
