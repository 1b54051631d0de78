// Reads the outbox in order from a position that all instances share, so that what is made of events misses none and uses none twice.

import type { Limits } from '../limits.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Store } from '../store/store.ts'
import { isBeyond, type Outbox, type OutboxEvent, type Position } from './outbox.ts'

export interface OutboxConsumerDependencies {
  /** Of `positionTable`. */
  readonly table: string
  /** The events of which something may be made here. */
  readonly names: ReadonlySet<string>
  readonly store: Store
  readonly dialect: Dialect
  readonly outbox: Pick<Outbox, 'after' | 'end'>
  readonly limits: Pick<Limits, 'eventBatch'>
  /** Prepares what is made of the first of these events; `from` is where they begin. */
  readonly handOn: (events: readonly OutboxEvent[], from: Position) => Promise<HandedOn>
}
export interface HandedOn {
  /** The position of the last event that was used. */
  readonly to: Position
  /** Null if nothing is made of them. Runs on the one instance that moves the position. */
  readonly write: (() => Program<void>) | null
}
export type OutboxConsumer = Awaited<ReturnType<typeof openOutboxConsumer>>

export const positionTable = (name: string): string =>
  `create table if not exists ${name} (only_row integer primary key, after_transaction text not null, after_number text not null)`

/** Begins at the end of the outbox, unless there is a position. */
export async function openOutboxConsumer(dependencies: OutboxConsumerDependencies) {
  const { names, store, outbox, limits, handOn } = dependencies
  const sql = statements(dependencies)
  const end = await outbox.end()
  let position = await store.write(() => stored(end))
  /** Nothing is made of events between `position` and this. */
  let seen = position
  let isBehind = true

  function* stored(first: Position): Program<Position> {
    yield bind(sql.begin, ...place(first))
    const [row] = yield bind(sql.position)
    return { transaction: BigInt(row![0] as string), number: BigInt(row![1] as string) }
  }

  async function move(from: Position, { to, write }: HandedOn): Promise<void> {
    position = await store.write(function* () {
      // Another instance was faster: continue from its position.
      if ((yield bind(sql.move, ...place(to), ...place(from))).length === 0) return yield* stored(to)
      if (write !== null) yield* write()
      return to
    })
    seen = position
  }

  /** Up to the last event. Rejects if the database is unavailable; then it is repeated. */
  async function all(): Promise<void> {
    isBehind = false
    try {
      await handOnAll()
    } catch (error) {
      isBehind = true
      throw error
    }
  }

  async function handOnAll(): Promise<void> {
    for (;;) {
      const from = position
      const events = await outbox.after(seen, limits.eventBatch)
      const last = events.at(-1)
      if (last === undefined) return
      const handed = await handOn(events, from)
      if (handed.write === null) seen = handed.to
      else await move(from, handed)
      // A later event is noticed.
      if (events.length < limits.eventBatch && !isBeyond(last.position, seen)) return
    }
  }

  return {
    /** To be called on every instance for every committed event. Whether something may be made of it. */
    notice({ name }: Pick<OutboxEvent, 'name'>): boolean {
      const isMeant = names.has(name)
      isBehind ||= isMeant
      return isMeant
    },
    /** Hands on if an event was noticed since, or the last call failed. */
    async catchUp(): Promise<void> {
      if (isBehind) await all()
    },
    all,
    /** Stores how far it is, so that the outbox may forget what is before. */
    async settle(): Promise<void> {
      if (isBeyond(seen, position)) await move(position, { to: seen, write: null })
    },
    /** No instance moves on until the transaction ends. */
    *lock(): Program<void> {
      yield* stored(position)
    },
  }
}

const place = ({ transaction, number }: Position) => [String(transaction), String(number)] as const

function statements({ table, dialect: { engine, parameter: p } }: OutboxConsumerDependencies) {
  return {
    begin: command(
      `insert into ${table} (only_row, after_transaction, after_number) values (1, ${p(1)}, ${p(2)}) on conflict (only_row) do nothing`,
    ),
    position: query(`select after_transaction, after_number from ${table}${engine === 'sqlite' ? '' : ' for update'}`),
    move: query(
      `update ${table} set after_transaction = ${p(1)}, after_number = ${p(2)} ` +
        `where after_transaction = ${p(3)} and after_number = ${p(4)} returning 1`,
    ),
  }
}
