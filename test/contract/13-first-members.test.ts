// The check of a record that code creates for a record which is still being made. (contract 13.4.10)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, integer, many, may, member, one, resource, service, signedIn, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { withService } from '../support/server/service.ts'

const Company = resource('Company', {
  prefix: 'com',
  fields: { name: text({ max: 20 }), seats: integer({ min: 0 }), staff: many('Worker', 'company') },
  members: { list: 'staff', account: 'user', role: 'role' },
  actions: {
    read: { allow: member() },
    create: {
      allow: signedIn,
      accept: ['name', 'seats'],
      effect: async ({ id, actor, records }) => {
        await records.create(Worker, { company: id, user: actor.id, role: 'OWNER' })
      },
    },
  },
})

const Worker = resource('Worker', {
  prefix: 'wor',
  within: 'company',
  fields: { company: one('Company'), user: one('User'), role: choice(['OWNER', 'CLERK']) },
  actions: {
    read: { allow: member('company') },
    create: {
      allow: may('create'),
      accept: ['company', 'user', 'role'],
      check: async ({ input, records }) => {
        const { seats } = await records.all.get(Company, input.company)
        const taken = await records.all.here.count({ where: { companyId: { eq: input.company } } })
        return taken < seats || 'All seats are taken.'
      },
    },
  },
  where: ['company'],
})

withService(
  '13.4.10 the first member of a tenant',
  (running) => {
    const found = (seats: number, fixtures: Fixtures) =>
      running().send('POST /api/v1/companies', { as: '{ann}', fixtures, body: { name: 'A', seats } })

    test('13.4.10 passes the same check as later ones, which finds the tenant', async () => {
      const fixtures = running().fixtures({ ann: { User: {} }, bob: { User: {} } })
      const made = await found(1, fixtures)
      assert.equal(made.status, 201, made.text)
      const staff = await running().send('GET /api/v1/workers', { as: '{ann}', fixtures })
      assert.deepEqual(
        staff.body.data.map(({ role }: { role: string }) => role),
        ['OWNER'],
      )
      const body = { company_id: made.body.data.id, user_id: '{bob}', role: 'CLERK' }
      const second = await running().send('POST /api/v1/workers', { as: '{ann}', fixtures, body })
      assert.equal(second.status, 422)
      assert.equal(second.body.error.message, 'All seats are taken.')
    })

    test('13.4.10 is refused by it, and the tenant is not made', async () => {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const refused = await found(0, fixtures)
      assert.equal(refused.status, 422)
      assert.equal(refused.body.error.message, 'All seats are taken.')
      const companies = await running().send('GET /api/v1/companies', { as: '{ann}', fixtures })
      assert.deepEqual(companies.body.data, [])
    })
  },
  {
    definition: service({
      resources: { User, Company, Worker },
      accounts,
      roles: { ANY: {} },
      tenantRoles: { Company: { OWNER: 'everything', CLERK: {} } },
    }),
  },
)
