// Notes with PostGraphile, as it makes them of a table.

import { createServer } from 'node:http'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const connectionString = process.env.DATABASE_URL
const client = new pg.Client({ connectionString })
await client.connect()
await client.query('create table if not exists note (id serial primary key, title text not null)')
await client.end()

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { watch: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
