// API keys that belong to tenants, in custom routes, and how their requests are counted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, route, signedIn, text } from 'duet-api'
import { type Holder, office } from '../support/client/office.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { withService } from '../support/server/service.ts'

const greet = route('GET', '/api/v1/greeting', {
  summary: 'Greet whoever asks',
  access: signedIn,
  answer: { to: text({ max: 100 }) },
  handle: async ({ actor }) => ({ to: actor.id }),
})
const count = route('GET', '/api/v1/size', {
  summary: 'Say how long the query is',
  access: signedIn,
  answer: { size: integer() },
  handle: async ({ query }) => ({ size: Object.keys(query).length }),
})

withService(
  '10.2 Keys of tenants, in custom routes',
  (running) => {
    test('10.2.13 a route that needs an account refuses a key that has none', async () => {
      const { ids, makeKey, ask } = await office(running())
      const key = await makeKey('ann', { organization_id: ids.one, role: 'AGENT' })
      const { status, body } = await ask(key, 'GET /api/v1/greeting')
      assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN'])
      assert.equal((await ask(key, 'GET /api/v1/size')).status, 200)
      assert.equal((await ask('ann', 'GET /api/v1/greeting')).body.data.to, ids.ann)
    })
  },
  { definition: helpdesk, routes: [greet, count] },
)

withService(
  '10.2 Keys of tenants, counted',
  (running) => {
    test('10.2.14 the keys of one tenant are counted together, and apart from those who made them', async () => {
      const { ids, makeKey, ask, as } = await office(running())
      const [one, two] = await Promise.all(
        [1, 2].map(() => makeKey('ann', { organization_id: ids.one, role: 'AGENT' })),
      )
      const other = await makeKey('ben', { organization_id: ids.two, role: 'AGENT' })
      const status = async (key: Holder) => (await ask(key, 'GET /api/v1/tickets')).status
      const statuses: number[] = []
      for (let at = 0; at < 15; at++) statuses.push(await status(at % 2 === 0 ? one! : two!))
      assert.deepEqual(statuses, Array(15).fill(200))
      for (let at = 0; at < 5; at++) statuses.push(await status(two!))
      assert.deepEqual([await status(one!), await status(two!), await status(other)], [429, 429, 200])
      assert.equal((await as('ann').voice.read('Organization', ids.one)).code, null)
    })
  },
  { definition: helpdesk, environment: { LIMIT_USER_PER_HOUR: '20' } },
)
