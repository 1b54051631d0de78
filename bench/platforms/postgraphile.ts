// PostGraphile on a copy of the database that Duet filled: GraphQL, made of its tables.

import { createServer } from 'node:http'
import { argv } from 'node:process'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const [connectionString] = argv.slice(2)
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // It offers an order only where an index begins with it, and does not count those of living records only.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafast: { explain: false },
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false, websockets: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.once('SIGTERM', () => process.exit(0))
