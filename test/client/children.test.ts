// Children of records in a tenant, by the typed client: they have the tenant from their parent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, many, member, one, resource, service, text } from 'duet-api'
import { createClient } from 'duet-api/client'
import { accounts } from '../support/domain/account.ts'
import { Membership, Organization, User } from '../support/domain/casework.ts'
import { withService } from '../support/server/service.ts'

const Deal = resource('Deal', {
  prefix: 'deal',
  within: 'organization',
  fields: { organization: one('Organization'), name: text({ max: 40 }), parts: many('Part', 'deal') },
  actions: {
    read: { allow: member('organization') },
    create: { allow: member('organization'), accept: ['organization', 'name', 'parts'] },
    update: { allow: member('organization'), accept: ['name', 'parts'] },
  },
})
const Part = resource('Part', {
  prefix: 'part',
  within: 'organization',
  fields: { organization: one('Organization'), deal: one('Deal'), size: choice(['S', 'L']) },
  actions: {
    read: { allow: member('organization') },
    create: { allow: member('organization'), accept: ['organization', 'deal', 'size'] },
    update: { allow: member('organization'), accept: ['size'] },
    delete: { allow: member('organization') },
  },
})
const deals = service({ resources: { User, Organization, Membership, Deal, Part }, accounts, roles: { ANY: {} } })

withService(
  'children in a tenant in the client',
  (service) => {
    test('13.1.2 children have the tenant that they share with their parent', async () => {
      const fixtures = service().fixtures({
        ann: { User: {} },
        home: { Organization: { name: 'Home' } },
        seat: { Membership: { organization: '{home}', user: '{ann}', role: 'AGENT' } },
      })
      const [organizationId] = [await fixtures.idOf('home'), await fixtures.idOf('seat')]
      const token = await service().token(await fixtures.idOf('ann'))
      const client = createClient<typeof deals>(service().url, { accessToken: () => token })
      const deal = await client.deals.create({ organizationId, name: 'a', parts: [{ size: 'S' }] })
      await client.deals.update(deal.id, { parts: [{ size: 'L' }] })
      const parts = await Array.fromAsync(client.parts.list())
      assert.deepEqual(
        parts.map((part) => [part.organizationId, part.size]),
        [[organizationId, 'L']],
      )
      // @ts-expect-error the parent decides
      const other = client.deals.update(deal.id, { parts: [{ size: 'L', organizationId }] })
      await assert.rejects(other, { code: 'VALIDATION_ERROR' })
    })
  },
  { definition: deals },
)
