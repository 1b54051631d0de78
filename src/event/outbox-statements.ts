// The outbox in SQL. (contract 6.1.4)

import { insertOf } from '../store/sql/batching.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { command, query, type Statement } from '../store/store.ts'

/** Rows are number, transaction, name, resource, record, by, at, previous. */
export interface OutboxStatements {
  readonly insert: Statement
  /** After a position; where transactions overlap, with a ninth column: whether all that are older have ended. */
  readonly look: Statement
  /** After a position, of transactions before a third value. Null where transactions do not overlap. */
  readonly after: Statement | null
  /** Who is writing. Null where transactions do not overlap. */
  readonly running: Statement | null
  readonly end: Statement
  readonly find: Statement
  /** The number of the oldest that is kept. */
  readonly first: Statement
  readonly forget: Statement
  readonly epoch: Statement
  /** Null where one transaction writes at a time. */
  readonly lockEpoch: Statement | null
  readonly insertEpoch: Statement
}

export function outboxStatements(dialect: Dialect): OutboxStatements {
  const p = dialect.parameter
  return {
    insert: insertOf('insert into duet_event (name, resource, record_id, by_id, at, previous)', 6, dialect),
    ...(dialect.engine === 'sqlite' ? inOneLine(p) : overlapping(p)),
    find: query(`select 1 from duet_event where number = ${p(1)}`),
    first: query('select min(number) from duet_event'),
    epoch: query('select epoch from duet_event_epoch order by epoch limit 1'),
    lockEpoch: dialect.engine === 'sqlite' ? null : command('lock table duet_event_epoch in exclusive mode'),
    insertEpoch: command(`insert into duet_event_epoch (epoch) values (${p(1)})`),
  }
}

type Parameter = Dialect['parameter']
type Ordered = Pick<OutboxStatements, 'look' | 'after' | 'running' | 'end' | 'forget'>

const inOneLine = (p: Parameter): Ordered => ({
  look: query(
    'select number, 0, name, resource, record_id, by_id, at, previous from duet_event ' +
      `where number > ${p(1)} order by number limit ${p(2)}`,
  ),
  after: null,
  running: null,
  end: query('select number, 0 from duet_event order by number desc limit 1'),
  forget: forgetting(['number'], p),
})

// Text by another name: an order by `transaction` would be that of its digits.
const columns = 'number, transaction::text as digits, name, resource, record_id, by_id, at, previous'

function overlapping(p: Parameter): Ordered {
  const beyond = `(transaction, number) > (${p(1)}::text::xid8, ${p(2)}::bigint)`
  return {
    look: query(
      `select ${columns}, transaction < pg_snapshot_xmin(pg_current_snapshot()) from duet_event where ${beyond} ` +
        `order by transaction, number limit ${p(3)}`,
    ),
    after: query(
      `select ${columns} from duet_event where ${beyond} and transaction < ${p(3)}::text::xid8 ` +
        `order by transaction, number limit ${p(4)}`,
    ),
    // The snapshot is older than the look at who is running: whoever had begun to write before it is still there to be
    // seen, or has ended. Sessions of other roles may be hidden; then the server's own, more cautious word is taken.
    running: query(
      'select pg_snapshot_xmax(pg_current_snapshot())::text, pg_snapshot_xmin(pg_current_snapshot())::text, ' +
        "coalesce(string_agg(backend_xid::text, ','), ''), coalesce(bool_or(query = '<insufficient privilege>'), false) " +
        'from pg_stat_activity where datname = current_database()',
    ),
    end: query(
      `select number, transaction::text as digits from duet_event where transaction < ${p(1)}::text::xid8 ` +
        'order by transaction desc, number desc limit 1',
    ),
    forget: forgetting(['transaction', 'number'], p),
  }
}

/**
 * The oldest that are all too old, but never the last. Only so many are looked at, however many are kept; one that is young
 * enough keeps everything after it, as resuming relies on.
 */
function forgetting(by: readonly string[], p: Parameter): Statement {
  const order = by.join(', ')
  const last = `select number from duet_event order by ${by.map((column) => `${column} desc`).join(', ')} limit 1`
  return query(
    'delete from duet_event where number in (select number from (' +
      `select number, max(case when at < ${p(1)} then 0 else 1 end) over (order by ${order}) as kept ` +
      `from (select * from duet_event order by ${order} limit ${p(2)}) oldest) aged where kept = 0) ` +
      `and number <> (${last}) returning 1`,
  )
}
