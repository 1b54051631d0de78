// A resource whose name is taken in GraphQL has another one there. (contract 4.8.15)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, event, integer, is, resource, service, signedIn, state, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Subscription = resource('Subscription', {
  prefix: 'sub',
  graphql: 'BillingPolicy',
  fields: {
    externalId: text({ max: 40, unique: true }),
    interval: choice(['month', 'year'], { default: 'month' }),
    seats: integer({ min: 1, default: 1 }),
    status: state('running', 'ended'),
  },
  keys: [['externalId']],
  filter: { interval: is },
  sort: ['seats'],
  where: ['interval'],
  summary: { by: ['interval'], of: ['seats'] },
  queries: { large: { allow: signedIn, where: signedIn, sort: ['seats'] } },
  resultUnion: true,
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['externalId', 'interval', 'seats'], emit: event('subscribed') },
    update: { allow: signedIn, accept: ['interval', 'seats'] },
    end: { allow: signedIn, from: 'running', to: 'ended' },
    delete: { allow: signedIn, emit: event('unsubscribed') },
  },
})

withService(
  '4.8.15 names of GraphQL',
  (running) => {
    const query = async (text: string) => {
      const { data, errors } = (await running().graphql(text, { as: 'admin' })).body
      assert.equal(errors, undefined, JSON.stringify(errors))
      return data
    }

    test('4.8.15 types, fields and inputs have the name, with a plural by the rule; REST has the other', async () => {
      const made = await query(
        'mutation { createBillingPolicies(input: { billingPolicies: [{ externalId: "a", interval: year }, { externalId: "b" }] }) { id __typename interval } }',
      )
      const [{ id, __typename, interval }] = made.createBillingPolicies
      assert.deepEqual([__typename, interval], ['BillingPolicy', 'year'])
      const rest = await running().send(`GET /api/v1/subscriptions/${id}`, { as: 'admin' })
      assert.equal(rest.body.data.external_id, 'a')
      const read = await query(`{
        billingPolicy(id: "${id}") { seats can { update } }
        billingPolicies(first: 5, filter: { interval: year }, sort: [SEATS_ASC], where: { interval: { eq: year } }) { nodes { id } }
        billingPolicyList { id }
        billingPolicyByExternalId(externalId: "b") { externalId }
        billingPolicySummary(groupBy: [INTERVAL], first: 5) { nodes { count sum { seats } } }
        billingPolicyResult(id: "${id}") { __typename }
        largeBillingPolicies(first: 1) { totalCount }
        largeBillingPolicyList(limit: 1) { id }
        node(id: "${id}") { __typename }
      }`)
      assert.deepEqual(read.billingPolicies.nodes, [{ id }])
      assert.equal(read.billingPolicyResult.__typename, 'BillingPolicy')
      assert.equal(read.node.__typename, 'BillingPolicy')
      const written = await query(`mutation {
        updateBillingPolicy(by: { externalId: "a" }, input: { seats: 2 }) { seats }
        upsertBillingPolicy(by: { externalId: "c" }, input: { seats: 3 }) { seats }
        upsertBillingPolicies(input: { billingPolicies: [{ by: { externalId: "c" }, input: { seats: 4 } }] }) { seats }
        endBillingPolicies(input: { where: { interval: { eq: month } } }) { count }
        endBillingPolicy(id: "${id}") { status }
        deleteBillingPolicy(id: "${id}")
      }`)
      assert.deepEqual(written.updateBillingPolicy, { seats: 2 })
      assert.deepEqual(written.upsertBillingPolicies, [{ seats: 4 }])
    })
  },
  { definition: service({ resources: { User, Subscription }, accounts, roles: { ANY: {} } }) },
)
