// Makes a database of Duet's as many times as large, in SQL: the same users and posts again, under other ids, later.

import Database from 'better-sqlite3'

/** From `held` times what was there first to `wanted` times as many users and posts, each user with as many as before. */
export function multiply(path: string, held: number, wanted: number): void {
  const database = new Database(path)
  database.pragma('synchronous = off')
  database.pragma('cache_size = -512000')
  const users = database.prepare(copyOf(database, 'users', ['id'], { email: `:copy || '.' || "email"` }))
  const posts = database.prepare(copyOf(database, 'posts', ['id', 'author_id'], {}))
  for (let copy = held; copy < wanted; copy++) {
    database.transaction(() => {
      const parameters = { copy: String(copy).padStart(4, '0') }
      users.run(parameters)
      posts.run(parameters)
    })()
  }
  database.pragma('wal_checkpoint(truncate)')
  database.close()
}

/** The four characters of an id that tell the copies apart are zeros in the original. */
function copyOf(database: Database.Database, table: string, ids: readonly string[], others: Record<string, string>) {
  const names = database.prepare<[string], { name: string }>('select name from pragma_table_info(?)').all(table)
  const values = names.map(({ name }) => {
    if (ids.includes(name)) return `replace("${name}", '_01K0000', '_01K' || :copy)`
    if (name.endsWith('_at')) return `strftime('%Y-%m-%dT%H:%M:%fZ', "${name}", :copy || ' minutes')`
    return others[name] ?? `"${name}"`
  })
  const original = `"id" like '%\\_01K0000%' escape '\\'`
  return `insert into ${table} (${names.map(({ name }) => `"${name}"`)}) select ${values} from ${table} where ${original}`
}
