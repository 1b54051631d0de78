// PostGraphile on a copy of the database that Duet filled: GraphQL, made of its tables; for questions with its plugins.

import { createServer } from 'node:http'
import { argv } from 'node:process'
import { PgAggregatesPreset } from '@graphile/pg-aggregates'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'

const [connectionString, isAsked] = argv.slice(2)
/** Its documentation adds units in this way. */
const months = {
  name: 'MonthsPlugin',
  version: '1.0.0',
  schema: {
    hooks: {
      build: {
        after: ['PgAggregatesSpecsPlugin'],
        callback(build) {
          const { sql, pgAggregateGroupBySpecs } = build
          const day = pgAggregateGroupBySpecs.find(({ id }) => id === 'truncated-to-day')
          const sqlWrap = (moment) => sql`date_trunc('month', ${moment})`
          pgAggregateGroupBySpecs.push({ ...day, id: 'truncated-to-month', sqlWrap })
          return build
        },
      },
    },
  },
}
const instance = postgraphile({
  extends: [
    PostGraphileAmberPreset,
    ...(isAsked === undefined ? [] : [PostGraphileConnectionFilterPreset, PgAggregatesPreset]),
  ],
  plugins: isAsked === undefined ? [] : [months],
  schema: { connectionFilterRelations: true },
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
