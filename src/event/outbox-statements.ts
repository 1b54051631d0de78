// The SQL of the outbox. (contract 6.1.4)

import { insertOf } from '../store/sql/text/batching.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { command, query, type Statement } from '../store/store.ts'

/** Rows are number, transaction, name, resource, record, by, at, previous. */
export interface OutboxStatements {
  readonly insert: Statement
  /** After a position; with overlapping transactions a ninth column: whether all older ones have ended. */
  readonly poll: Statement
  /** After a position, of transactions before a third value. Null if transactions do not overlap. */
  readonly after: Statement | null
  /** Running transactions. Null if transactions do not overlap. */
  readonly running: Statement | null
  readonly end: Statement
  readonly find: Statement
  readonly first: Statement
  readonly forget: Statement
  readonly epoch: Statement
  readonly lockEpoch: Statement | null
  readonly insertEpoch: Statement
}

export function outboxStatements(dialect: Dialect): OutboxStatements {
  const p = dialect.parameter
  return {
    insert: insertOf(
      'insert into duet_event (name, resource, record_id, by_id, at, previous)',
      ['text', 'text', 'text', 'text', 'timestamptz', 'text'],
      dialect,
    ),
    ...(dialect.engine === 'sqlite' ? inOneLine(p) : overlapping(p)),
    find: query(`select 1 from duet_event where number = ${p(1)}`),
    first: query('select min(number) from duet_event'),
    epoch: query('select epoch from duet_event_epoch order by epoch limit 1'),
    lockEpoch: dialect.engine === 'sqlite' ? null : command('lock table duet_event_epoch in exclusive mode'),
    insertEpoch: command(`insert into duet_event_epoch (epoch) values (${p(1)})`),
  }
}

type Parameter = Dialect['parameter']
type Ordered = Pick<OutboxStatements, 'poll' | 'after' | 'running' | 'end' | 'forget'>

const inOneLine = (p: Parameter): Ordered => ({
  poll: query(
    'select number, 0, name, resource, record_id, by_id, at, previous from duet_event ' +
      `where number > ${p(1)} order by number limit ${p(2)}`,
  ),
  after: null,
  running: null,
  end: query('select number, 0 from duet_event order by number desc limit 1'),
  forget: forgetting(['number'], p),
})

// An alias, as an order by `transaction` would sort by digits.
const columns = 'number, transaction::text as digits, name, resource, record_id, by_id, at, previous'

function overlapping(p: Parameter): Ordered {
  const beyond = `(transaction, number) > (${p(1)}::text::xid8, ${p(2)}::bigint)`
  return {
    poll: query(
      `select ${columns}, transaction < pg_snapshot_xmin(pg_current_snapshot()) from duet_event where ${beyond} ` +
        `order by transaction, number limit ${p(3)}`,
    ),
    after: query(
      `select ${columns} from duet_event where ${beyond} and transaction < ${p(3)}::text::xid8 ` +
        `order by transaction, number limit ${p(4)}`,
    ),
    // The snapshot precedes the list: each transaction that had begun to write is in it, or has ended. Sessions of other roles
    // may be hidden; then the server's more cautious value is used.
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

/** Never the last. Reads a limited number; one that is not expired keeps all later ones, which resuming relies on. */
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
