// What clients notice of a field that is renamed: nothing, until they choose to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, parse, validate } from 'graphql'
import type { Change } from '../../src/compatibility/change.ts'
import { compareContracts } from '../../src/compatibility/compare.ts'
import { signIn } from '../support/client/subscriber.ts'
import { afterRenaming, beforeRenaming, renamedOnly } from '../support/domain/renamed.ts'
import { contractOf } from '../support/oracle/contract-of.ts'
import { withService } from '../support/server/service.ts'

const [older, both, newer] = [contractOf(beforeRenaming), contractOf(afterRenaming), contractOf(renamedOnly)]
const breaking = (changes: readonly Change[]) => changes.filter(({ verdict }) => verdict === 'breaking')
const nothingUsed = (today: string) => ({
  today,
  quietDays: 90,
  uses: new Map(
    both.deprecations.map(({ what }) => [what, { countedSince: '2026-11-20', lastUsed: null, clients: [] }]),
  ),
})

test('9.2.3 the contract check finds nothing that breaks where fields are renamed', () => {
  assert.deepEqual(breaking(compareContracts(older, both, nothingUsed('2026-11-25'))), [])
})
test('9.2.3, 9.3.2 the older names may go, with their types, in the fifth month and unused', () => {
  const soon = breaking(compareContracts(both, newer, nothingUsed('2027-01-25')))
  assert.ok(soon.some(({ where }) => where === 'GraphQL CreateTicketInput.subject'))
  assert.deepEqual(breaking(compareContracts(both, newer, nothingUsed('2027-11-25'))), [])
})

const oldSchema = buildSchema(older.schema)

withService(
  '9.2.3 documents of before',
  (service) => {
    const send = async (query: string, variables: object = {}, isOld = true) => {
      if (isOld) assert.deepEqual(validate(oldSchema, parse(query)), [])
      const { body } = await service().send('POST /graphql', { as: 'viewer', body: { query, variables } })
      return body
    }
    const ask = async (query: string, variables?: object) => {
      const { data, errors } = await send(query, variables)
      assert.equal(errors, undefined, JSON.stringify(errors))
      return data
    }
    let count = 0
    const word = () => `w${count++}`
    const customer = async (): Promise<{ id: string; foreignId: string }> => {
      const input = { foreignId: word(), zone: 'us', code: word(), label: 'L' }
      const query = 'mutation ($i: CreateCustomerInput!) { made: createCustomer(input: $i) { id foreignId zone } }'
      return (await ask(query, { i: input })).made
    }
    const ticket = async (more: object = {}) => {
      const { id: buyerId } = await customer()
      const input = { subject: 'S', buyerId, serial: ++count, lines: [{ remark: 'r', quantity: 2 }], ...more }
      const query = `mutation ($i: CreateTicketInput!) { made: createTicket(input: $i)
        { id subject phase genre price picture { alt tags } helper { id } buyer { id label } serial lines { remark quantity } } }`
      return (await ask(query, { i: input })).made
    }

    test('9.2.3 write and read under older names', async () => {
      const { foreignId } = await customer()
      const viewer = await service().fixtures().idOf('viewer')
      const made = await ticket({
        genre: 'wish',
        price: '2.50',
        picture: { alt: 'a', tags: ['t'] },
        helperId: viewer,
        buyerId: undefined,
        buyer: { foreignId },
      })
      assert.deepEqual(
        { ...made, id: '', serial: 0, buyer: made.buyer.label },
        {
          id: '',
          subject: 'S',
          phase: 'open',
          genre: 'wish',
          price: '2.50',
          picture: { alt: 'a', tags: ['t'] },
          helper: { id: viewer },
          buyer: 'L',
          serial: 0,
          lines: [{ remark: 'r', quantity: 2 }],
        },
      )
      const changed = await ask(
        `mutation ($id: ID!, $genre: TicketGenre, $picture: TicketPictureInput) {
          updateTicket(id: $id, input: { subject: "T", genre: $genre, picture: $picture, lines: [{ remark: "s", quantity: 1 }] }) { subject genre lines { remark } }
          updateTickets(input: { ids: [$id], set: { price: "1" } }) { price }
          updateTicketsWhere(input: { where: { subject: { eq: "T" } }, set: { price: "3" } }) { count }
          closeTicket(id: $id, input: { price: "4" }) { phase price }
        }`,
        { id: made.id, genre: 'bug', picture: null },
      )
      assert.deepEqual(changed, {
        updateTicket: { subject: 'T', genre: 'bug', lines: [{ remark: 's' }] },
        updateTickets: [{ price: '1.00' }],
        updateTicketsWhere: { count: 1 },
        closeTicket: { phase: 'closed', price: '4.00' },
      })
    })

    test('9.2.3 keys, in queries, upserts and references', async () => {
      const { id, foreignId } = await customer()
      const found = await ask(`query ($key: String!) { customerByForeignId(foreignId: $key) { id } }`, {
        key: foreignId,
      })
      assert.deepEqual(found, { customerByForeignId: { id } })
      const replaced = await ask(
        `mutation ($key: String!) { upsertCustomer(by: { foreignId: $key }, input: { code: "c", label: "M" }) { id label } }`,
        { key: foreignId },
      )
      assert.deepEqual(replaced, { upsertCustomer: { id, label: 'M' } })
      const pair = await ask('query ($z: CustomerZone!) { customerByZoneAndCode(zone: $z, code: "c") { id } }', {
        z: 'us',
      })
      assert.deepEqual(pair, { customerByZoneAndCode: { id } })
    })

    test('9.2.3 filters, conditions, orders and summaries', async () => {
      const subject = word()
      const viewer = await service().fixtures().idOf('viewer')
      const { id } = await ticket({ subject, helperId: viewer, price: '2' })
      const lists = await ask(
        `query ($w: TicketWhere, $buyer: TicketWhereBuyer, $phase: TicketPhase, $viewer: ID) {
          a: tickets(where: $w, filter: { phase: $phase, helperId: $viewer }, sort: [SUBJECT_ASC, BUYER_LABEL_DESC]) { nodes { id } }
          b: ticketList(where: { and: [{ buyer: $buyer }, { lines: { some: { remark: { eq: "r" } } } }, { genre: { eq: bug } }] }) { id }
          c: ticketSummary(groupBy: [GENRE, HELPER_ID, BUYER_LABEL], where: $w, sort: [SUM_PRICE_DESC, GENRE_ASC]) {
            nodes { genre helperId buyerLabel count sum { price } min { price } distinct { subject } } }
        }`,
        { w: { subject: { eq: subject } }, buyer: { label: { eq: 'L' } }, phase: 'open', viewer },
      )
      assert.deepEqual(lists.a.nodes, [{ id }])
      assert.ok(lists.b.some((each: { id: string }) => each.id === id))
      const group = { genre: 'bug', helperId: viewer, buyerLabel: 'L', count: 1 }
      assert.deepEqual(lists.c.nodes, [
        { ...group, sum: { price: '2.00' }, min: { price: '2.00' }, distinct: { subject: 1 } },
      ])
      const text = await ask(`{ tickets(whereText: "subject = '${subject}' AND buyer.label = 'L'") { nodes { id } } }`)
      assert.deepEqual(text.tickets.nodes, [{ id }])
    })

    test('9.2.3 subscriptions', async () => {
      const { id } = await ticket()
      const [remarks, changes, deletes] = [
        await signIn(service(), 'viewer'),
        await signIn(service(), 'viewer'),
        await signIn(service(), 'viewer'),
      ]
      const queries = [
        `subscription { remarkAdded(aboutId: "${id}") { words about { id } } }`,
        'subscription { ticketChanged { ticket { subject } previous { helperId genre } } }',
        'subscription { ticketDeleted { id subject phase buyerId } }',
      ]
      for (const [index, socket] of [remarks, changes, deletes].entries()) {
        assert.deepEqual(validate(oldSchema, parse(queries[index]!)), [])
        socket.subscribe('1', queries[index]!)
        await socket.settled()
      }
      await ask(
        `mutation { createRemark(input: { aboutId: "${id}", words: "w" }) { id } updateTicket(id: "${id}", input: { genre: wish }) { id }}`,
      )
      const next = async (socket: typeof remarks) => {
        const { payload } = await socket.next()
        return (payload as { data: Record<string, object> }).data
      }
      assert.deepEqual(await next(remarks), { remarkAdded: { words: 'w', about: { id } } })
      assert.deepEqual(await next(changes), {
        ticketChanged: { ticket: { subject: 'S' }, previous: { helperId: null, genre: 'bug' } },
      })
      // Once it is deleted, the subscription to its remarks ends.
      await ask(`mutation { deleteTicket(id: "${id}") }`)
      const { ticketDeleted } = await next(deletes)
      assert.partialDeepStrictEqual(ticketDeleted, { id, subject: 'S', phase: 'open' })
      for (const socket of [remarks, changes, deletes]) await socket.close()
    })

    const refusals: readonly (readonly [it: string, field: string, fields: readonly string[], message?: RegExp])[] = [
      [
        'both names at once',
        'mutation { createTicket(input: { title: "a", subject: "a", customerId: "x", number: 1 }) { id } }',
        ['subject'],
        /Send either this or title\./,
      ],
      [
        'both in an update',
        'mutation { updateTicket(id: "x", input: { title: "a", subject: "a" }) { id } }',
        ['subject'],
      ],
      [
        'both of an id',
        'mutation { updateTicket(id: "x", input: { customerId: "a", buyerId: "a" }) { id } }',
        ['buyerId'],
      ],
      [
        'both by key',
        'mutation { updateTicket(id: "x", input: { customer: { externalId: "a" }, buyer: { foreignId: "a" } }) { id } }',
        ['buyer'],
      ],
      [
        'an id and a key by either name',
        'mutation { updateTicket(id: "x", input: { customerId: "a", buyer: { foreignId: "a" } }) { id } }',
        ['buyer'],
      ],
      [
        'both of a key',
        'mutation { upsertCustomer(by: { externalId: "a", foreignId: "a" }, input: { code: "c", name: "n" }) { id } }',
        ['foreignId', 'by.foreignId'],
      ],
      [
        'both in a child',
        'mutation { updateTicket(id: "x", input: { lines: [{ note: "a", remark: "a", count: 1 }] }) { id } }',
        ['lines[0].remark'],
      ],
      [
        'both of many',
        'mutation { updateTickets(input: { ids: ["a"], set: { title: "a", subject: "a" } }) { id } }',
        ['set.subject'],
      ],
      [
        'both in a condition',
        '{ tickets(where: { or: [{ title: { eq: "a" }, subject: { eq: "a" } }] }) { nodes { id } } }',
        ['where.or[0].subject'],
      ],
      ['both in a filter', '{ tickets(filter: { status: open, phase: open }) { nodes { id } } }', ['filter.phase']],
      [
        'neither where one is needed',
        'mutation { createTicket(input: { customerId: "x", number: 1 }) { id } }',
        ['title'],
      ],
      [
        'what is wrong, as it was called',
        'mutation { updateTicket(id: "x", input: { subject: "", lines: [{ remark: "", quantity: 1 }] }) { id } }',
        ['subject', 'lines[0].remark'],
      ],
      [
        'what is wrong in a condition',
        '{ tickets(where: { buyer: { label: {} } }) { nodes { id } } }',
        ['where.buyer.label'],
      ],
    ]
    for (const [it, query, fields, message] of refusals)
      test(`9.2.3, 9.2.4 refuses ${it}`, async () => {
        const { errors } = await send(query, {}, false)
        assert.equal(errors[0].extensions.code, 'VALIDATION_ERROR', JSON.stringify(errors))
        const named = (errors[0].extensions.details as { field: string }[]).map(({ field }) => field)
        assert.ok(named.every((each) => fields.includes(each)) && named.length > 0, JSON.stringify(errors))
        if (message !== undefined) assert.match(errors[0].message, message)
      })

    test('9.2.3, 9.2.4 a subscription by a record needs one of the names', async () => {
      const socket = await signIn(service(), 'viewer')
      for (const [args, fields] of [
        ['', ['ticketId']],
        ['(ticketId: "a", aboutId: "b")', ['aboutId']],
      ] as const) {
        socket.subscribe(word(), `subscription { remarkAdded${args} { id } }`)
        const { payload } = await socket.next()
        const [error] = payload as { extensions: { code: string; details: { field: string }[] } }[]
        assert.equal(error!.extensions.code, 'VALIDATION_ERROR')
        assert.deepEqual(
          error!.extensions.details.map(({ field }) => field),
          fields,
        )
      }
      await socket.close()
    })

    test('9.2.3, 9.4.1 uses of older names are counted, in inputs too', async () => {
      await ticket()
      await ask(`{ tickets(first: 1, whereText: "helper = null AND some(lines, remark = 'a')") { nodes { id } } }`)
      await service().usage.flush()
      const names = JSON.stringify(await service().tables('deprecation_usage'))
      for (const each of [
        'CreateTicketInput.subject',
        'CreateLineInTicketInput.remark',
        'Ticket.genre',
        'TicketWhere.helperId',
        'TicketWhereLines.remark',
      ])
        assert.ok(names.includes(each), each)
      service().assertLog()
    })
  },
  { definition: afterRenaming },
)
