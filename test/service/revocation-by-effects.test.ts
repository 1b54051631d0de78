// Accounts that change because something else does: an effect that suspends somebody ends that person's tokens as a suspension
// by hand would. A service that is not the reference service depends on it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { service as defineService, one, resource, signedIn, state } from 'duet-api'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import type { Service } from '../../src/resource/language/service.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { password, startTestService } from '../support/server/service.ts'

const report = { allow: signedIn, from: 'open' as const }
const Report = resource('Report', {
  prefix: 'rep',
  fields: { about: one('User', { cascade: 'regardless' }), status: state('open', 'upheld', 'praised') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['about'] },
    uphold: {
      ...report,
      to: 'upheld',
      effect: async ({ record, records }) => records.run(User, record.about, 'suspend'),
    },
    praise: {
      ...report,
      to: 'praised',
      effect: async ({ record, records }) => records.change(User, record.about, { role: 'EDITOR' }),
    },
  },
})
const definition = defineService({
  ...(api as unknown as Parameters<typeof defineService>[0]),
  resources: { ...(api as unknown as { resources: object }).resources, Report },
} as never) as Service<unknown>

describe('an effect on an account', () => {
  forEachEngine((engine) => {
    for (const [move, refreshed] of [
      ['uphold', 401],
      ['praise', 200],
    ] as const) {
      test(`${move} refuses every earlier access token`, async (t) => {
        const service = await startTestService(engine, { definition })
        t.after(() => service.stop())
        const fixtures = service.fixtures({ person: { User: { name: 'P', email: '{word}@example.com' } } })
        const about_id = await fixtures.idOf('person')
        const login = await service.send('POST /auth/login', {
          body: { email: await fixtures.fill('{word}@example.com'), password },
        })
        const headers = { Authorization: `Bearer ${login.body.access_token}` }
        const me = async () => (await service.client.send('GET /api/v2/users/me', { headers })).status
        assert.equal(await me(), 200)
        const made = await service.send('POST /api/v2/reports', { as: 'editor', body: { about_id } })
        const moved = await service.send(`POST /api/v2/reports/${made.body.data.id}/${move}`, { as: 'editor' })
        assert.equal(moved.status, 200, moved.text)
        assert.equal(await me(), 401)
        const { refresh_token } = login.body
        const again = await service.client.send('POST /auth/refresh', { body: { refresh_token } })
        assert.equal(again.status, refreshed)
      })
    }
  })
})
