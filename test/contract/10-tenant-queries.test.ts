// Queries of what is in tenants, which a permission lets in: the roles that the caller has inside decide, tenant by tenant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossTenants, anyOf, may, signedIn, when } from 'duet-api'
import { office } from '../support/client/office.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { withService } from '../support/server/service.ts'

const open = when({ status: 'open' })
const { Ticket } = helpdesk.resources
const queries = {
  toEdit: { allow: may('edit'), where: open },
  toDelete: { allow: anyOf(may('delete'), acrossTenants(may('delete'))), where: open },
  known: { allow: signedIn, where: open },
  found: { allow: may('edit'), ids: async () => foundIds },
}
let foundIds: readonly string[] = []
const definition = {
  ...helpdesk,
  resources: { ...helpdesk.resources, Ticket: { ...Ticket, queries } },
} as never as typeof helpdesk

withService(
  '10.2 Queries in tenants',
  (running) => {
    test('10.2.3 a permission is that of the roles inside, on both faces', async () => {
      const { ids, ask } = await office(running())
      // Two tickets of hers: she may edit those of one, where she owns, and none of two, where she is a customer.
      const own = running().fixtures({
        here: { Ticket: { organization: ids.one, number: 901, subject: 'here', requester: ids.ann } },
        there: { Ticket: { organization: ids.two, number: 902, subject: 'there', requester: ids.ann } },
      })
      const [here, there] = [await own.idOf('here'), await own.idOf('there')]
      foundIds = [here, there]
      const listed = async (who: string, query: string): Promise<readonly string[] | number> => {
        const { status, body } = await ask(who, `GET /api/v1/tickets/${query}?per_page=100`)
        return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
      }
      for (const query of ['to-edit', 'to-delete', 'found']) {
        const answer = await listed('ann', query)
        assert.ok(Array.isArray(answer) && answer.includes(here) && !answer.includes(there), `${query}: ${answer}`)
      }
      const tickets = await listed('ann', 'known')
      assert.ok(Array.isArray(tickets) && tickets.includes(here) && tickets.includes(there))
      const { body } = await ask('ann', 'POST /graphql', {
        query: '{ toEditTickets(first: 100) { nodes { id } totalCount } }',
      })
      const nodes = body.data.toEditTickets.nodes.map(({ id }: { id: string }) => id)
      assert.ok(nodes.includes(here) && !nodes.includes(there))
      assert.equal(body.data.toEditTickets.totalCount, nodes.length)
      // Any role in any tenant decides what comes before the form.
      assert.deepEqual(await listed('customer', 'to-edit'), [])
      assert.equal(await listed('anonymous', 'to-edit'), 401)
    })
  },
  { definition },
)
