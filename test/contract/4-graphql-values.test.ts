// Values of choices and states that are no names in GraphQL, in every place of inputs and answers. (contract 4.8.16)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, contains, event, is, list, object, resource, service, signedIn, state } from 'duet-api'
import { dataOf, signIn } from '../support/client/subscriber.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Debt = resource('Debt', {
  prefix: 'dbt',
  fields: {
    status: state('in-time', 'past-due'),
    kind: choice(['net.30', 'net.60', 'plain'], { default: 'net.30' }),
    marks: list(choice(['on-hold', 'vip']), { max: 3 }),
    parts: list(object({ via: choice(['sepa-debit', 'card']) }), { max: 3 }),
  },
  computed: { via: { as: choice(['by-card', 'open']), from: ['kind'], make: () => 'by-card' as const } },
  filter: { kind: is, status: is, mark: contains('marks') },
  sort: ['kind'],
  where: ['kind', 'status'],
  summary: { by: ['kind', 'status'] },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['kind', 'marks', 'parts'] },
    update: { allow: signedIn, accept: ['kind'], emit: event('debtChanged', { changed: ['kind'] }) },
    lapse: { allow: signedIn, from: 'in-time', to: 'past-due' },
  },
})

withService(
  '4.8.16 values in GraphQL',
  (running) => {
    const query = async (text: string, variables: object = {}) => {
      const { data, errors } = (await running().graphql(text, { as: 'admin', variables })).body
      assert.equal(errors, undefined, JSON.stringify(errors))
      return data
    }
    const whole = 'id kind status via marks parts { via }'

    test('4.8.16 they have underscores in GraphQL, and stay as they are in REST', async () => {
      const input = { kind: 'net_60', marks: ['on_hold', 'vip'], parts: [{ via: 'sepa_debit' }, { via: 'card' }] }
      const made = await query(`mutation ($input: CreateDebtInput!) { createDebt(input: $input) { ${whole} } }`, {
        input,
      })
      const { id, ...values } = made.createDebt
      assert.deepEqual(values, { ...input, status: 'in_time', via: 'by_card' })
      const rest = (await running().send(`GET /api/v1/debts/${id}`, { as: 'admin' })).body.data
      assert.deepEqual(
        [rest.kind, rest.status, rest.via, rest.marks, rest.parts],
        ['net.60', 'in-time', 'by-card', ['on-hold', 'vip'], [{ via: 'sepa-debit' }, { via: 'card' }]],
      )
      const moved = await query(`mutation { lapseDebt(id: "${id}") { status } }`)
      assert.equal(moved.lapseDebt.status, 'past_due')
      const lists = await query(`{
        debts(first: 5, filter: { kind: net_60, status: past_due, mark: on_hold }) { nodes { id } }
        debtList(where: { status: { in: [past_due] }, kind: { ne: plain } }) { id kind }
        debtSummary(groupBy: [KIND, STATUS], first: 5) { nodes { kind status count } }
      }`)
      assert.deepEqual(lists.debts.nodes, [{ id }])
      assert.deepEqual(lists.debtList, [{ id, kind: 'net_60' }])
      assert.deepEqual(lists.debtSummary.nodes, [{ kind: 'net_60', status: 'past_due', count: 1 }])
      const found = await running().send(
        `GET /api/v1/debts?kind=net.60&where=${encodeURIComponent('status = "past-due"')}`,
        {
          as: 'admin',
        },
      )
      assert.deepEqual(
        found.body.data.map((each: { id: string }) => each.id),
        [id],
      )
    })

    test('4.8.16 events have them, with the previous value', async () => {
      const made = await query('mutation { createDebt(input: { marks: [], parts: [] }) { id } }')
      const socket = await signIn(running(), 'admin')
      socket.subscribe('1', 'subscription { debtChanged { debt { kind } previous { kind } } }')
      await socket.settled()
      await query(`mutation { updateDebt(id: "${made.createDebt.id}", input: { kind: net_60 }) { id } }`)
      const changed = dataOf(await socket.next())
      assert.deepEqual(changed['debtChanged'], { debt: { kind: 'net_60' }, previous: { kind: 'net_30' } })
      await socket.close()
    })
  },
  { definition: service({ resources: { User, Debt }, accounts, roles: { ANY: {} } }) },
)
