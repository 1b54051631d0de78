// Takes statistics of tables that have grown, as autovacuum does after a minute, and on some servers never. Until then PostgreSQL
// plans for tables that are nearly empty, and may walk through a whole one to find a record by its id. Without this file: the same
// answers, and putting 10,000 new records twice by a key takes the server 5 times as long.

import type { Pool } from 'pg'

/**
 * Of the schema that tables are made in: those with more than eight times as many rows as when statistics of them were taken, and
 * more than 500. What counts them waits for no lock. A role may take statistics of its own tables.
 */
const grownTables = `
  select string_agg(quote_ident(relname), ', ') as names from pg_class
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and pg_stat_get_live_tuples(oid) > greatest(8 * reltuples, 500) and pg_has_role(relowner, 'usage')`

/** How long after a write tables are looked at. Where none has grown the next time is twice as long, up to a minute. */
const [firstWaitMs, waitMaxMs] = [1_000, 60_000]

export class TableStatistics {
  readonly #pool: Pool
  #waitMs = firstWaitMs
  #timer: NodeJS.Timeout | null = null
  #look: Promise<void> | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Something was written, and tables may have grown. */
  noteCommit(): void {
    if (this.#timer !== null || this.#look !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#look = this.#lookAgain().finally(() => {
        this.#look = null
      })
    }, this.#waitMs).unref()
  }

  /** Whether there was a table to take them of. Leaves one that somebody else takes them of, or is altering. */
  async take(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ names: string | null }>(grownTables)
    const names = rows[0]?.names ?? null
    if (names === null) return false
    await this.#pool.query(`analyze (skip_locked) ${names}`)
    return true
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#look
  }

  async #lookAgain(): Promise<void> {
    // Nobody waits for it, and without it all goes on as before.
    const hasGrown = await this.take().catch(() => false)
    this.#waitMs = hasGrown ? firstWaitMs : Math.min(2 * this.#waitMs, waitMaxMs)
  }
}
