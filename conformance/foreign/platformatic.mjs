// Notes with Platformatic DB, as it makes them of a table.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from '@platformatic/db'
import pg from 'pg'

const connectionString = process.env.DATABASE_URL
const client = new pg.Client({ connectionString })
await client.connect()
await client.query(
  'create table if not exists notes (id serial primary key, title text not null, created_at timestamptz, updated_at timestamptz)',
)
await client.end()

const config = {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  server: { hostname: '127.0.0.1', port: Number(process.env.PORT ?? 0), logger: { level: 'silent' } },
  db: { connectionString, graphql: true, openapi: { prefix: '/api/v1' }, autoTimestamp: true, events: false },
}
const app = await create(mkdtempSync(join(tmpdir(), 'platformatic-')), config)
await app.init?.()
await app.start({ listen: true })
console.log(`listening on ${app.getUrl()}`)
