// Each platform works on its own copy of what Duet filled: the same records and indexes. What Duet does itself, keys and
// times of new records, the copy does by default; lists are of the type that the platforms understand.

import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import pg from 'pg'
import { cpuMs } from '../child.ts'

const server = process.env['BENCH_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface PostgresDatabase {
  readonly url: string
  /** What the connections to it have taken of a processor so far; 0 where the server is on another machine. */
  cpuMs(): Promise<number>
  /** Another one with all that is in it. It must have no connections. */
  copy(): Promise<PostgresDatabase>
  run(sql: string): Promise<void>
  drop(): Promise<void>
}

/** A database of its own on the server. */
export async function createPostgresDatabase(template = 'template1'): Promise<PostgresDatabase> {
  const name = `duet_bench_${randomBytes(8).toString('hex')}`
  const url = Object.assign(new URL(server), { pathname: name }).href
  await query(server, `create database ${name} template ${template}`)
  return {
    url,
    async cpuMs() {
      const backends = await query(server, `select pid from pg_stat_activity where datname = '${name}'`)
      return backends.reduce((sum, { pid }) => sum + cpuMs({ pid: pid as number }), 0)
    },
    copy: () => createPostgresDatabase(name),
    async run(sql) {
      await query(url, sql)
    },
    async drop() {
      await query(server, `drop database ${name} with (force)`)
    },
  }
}

/** Only the tables that are asked for: each platform would make an API of all the others too. */
export const forPlatforms = `
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('users', 'posts') loop
      execute format('drop table %I cascade', name);
    end loop;
    for name in select indexname from pg_indexes where tablename = 'posts' and indexdef like '%USING gin%' loop
      execute format('drop index %I', name);
    end loop;
  end $$;
  create function texts(json) returns text[] language sql immutable
    as 'select array(select json_array_elements_text($1))';
  alter table posts alter tags type text[] using texts(tags);
  drop function texts;
  create index on posts using gin (tags) with (fastupdate = off) where deleted_at is null;
  alter table posts
    alter id set default 'post_' || replace(gen_random_uuid()::text, '-', ''),
    alter created_at set default now(),
    alter updated_at set default now();
`

/** As a platform writes it. */
export const newPost = `insert into posts (title, content, tags, author_id) select 'A new post', 'Words.', array['bench'], id from users limit 1`

/** Platformatic makes the key of a new record where its column is a UUID, which no strict table may have. */
export function letPlatformaticMakeKeys(path: string): void {
  const database = new Database(path)
  database.unsafeMode()
  database.pragma('writable_schema = on')
  database
    .prepare(
      `update sqlite_schema set sql = replace(replace(sql, '("id" text', '("id" uuid'), ') strict', ')')
       where type = 'table' and name = 'posts'`,
    )
    .run()
  database.pragma('writable_schema = reset')
  database.close()
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
