// Analyzes tables that have grown. Autovacuum does so after a minute, on some servers never; until then, PostgreSQL may scan a
// table to find a record by id. Without it, putting 10,000 new records twice by a key takes 5 times as long.

import type { Pool } from 'pg'

/** With more than 500 rows and eight times as many as when last analyzed. Reading this waits for no lock. */
const grownTables = `
  select string_agg(quote_ident(relname), ', ') as names from pg_class
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and pg_stat_get_live_tuples(oid) > greatest(8 * reltuples, 500) and pg_has_role(relowner, 'usage')`

/** After a write. Without growth, the delay doubles, up to a minute. */
const [firstWaitMs, waitMaxMs] = [1_000, 60_000]

export class TableStatistics {
  readonly #pool: () => Pool
  #waitMs = firstWaitMs
  #timer: NodeJS.Timeout | null = null
  #look: Promise<void> | null = null

  constructor(pool: () => Pool) {
    this.#pool = pool
  }

  noteCommit(): void {
    if (this.#timer !== null || this.#look !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#look = this.#lookAgain().finally(() => {
        this.#look = null
      })
    }, this.#waitMs).unref()
  }

  /** Skips tables that are being analyzed or altered. */
  async take(): Promise<boolean> {
    const { rows } = await this.#pool().query<{ names: string | null }>(grownTables)
    const names = rows[0]?.names ?? null
    if (names === null) return false
    await this.#pool().query(`analyze (skip_locked) ${names}`)
    return true
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#look
  }

  async #lookAgain(): Promise<void> {
    // A failure is harmless.
    const hasGrown = await this.take().catch(() => false)
    this.#waitMs = hasGrown ? firstWaitMs : Math.min(2 * this.#waitMs, waitMaxMs)
  }
}
