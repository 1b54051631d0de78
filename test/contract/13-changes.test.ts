// Events of changes: told where a field got another value, with what it was before, to whoever may read the field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { on } from 'duet-api'
import { signIn } from '../support/client/subscriber.ts'
import type { Frame, TestSocket } from '../support/client/websocket.ts'
import { assignments, reassign, Ticket } from '../support/domain/assignments.ts'
import { type Caller, withService } from '../support/server/service.ts'

const seen: (readonly [id: string, dueAt: Date | null])[] = []
const planned = on(Ticket, 'ticketPlanned', async ({ id, previous }) => void seen.push([id, previous.dueAt]))

type Told = Record<string, Record<string, unknown>>
const payloadOf = ({ payload }: Frame) => payload as { data: Record<string, Told> | null; errors?: object[] }
const assigning = 'subscription { ticketAssigned { ticket { id assignee { id } } previous { assigneeId priority } } }'

withService(
  '13.9 Events of changes',
  (service) => {
    const send = async (as: Caller, line: string, body?: object) => {
      const { status, text, ...answer } = await service().send(line, { as, ...(body === undefined ? {} : { body }) })
      assert(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const graphql = (query: string) => send('viewer', 'POST /graphql', { query })
    const idOf = (actor: string) => service().fixtures().idOf(actor)
    const ticket = async (subject: string, values: object = {}): Promise<string> =>
      (await send('viewer', 'POST /api/v2/tickets', { subject, ...values })).id
    const change = (id: string, values: object) => send('viewer', `PATCH /api/v2/tickets/${id}`, values)
    const subscribed = async (name: string, query: string): Promise<TestSocket> => {
      const socket = await signIn(service(), name)
      socket.subscribe('1', query)
      await socket.settled()
      return socket
    }
    const toldTo = async (socket: TestSocket): Promise<Told> => {
      const { data, errors } = payloadOf(await socket.next())
      assert.equal(errors, undefined)
      return Object.values(data!)[0]!
    }

    test('13.9.1 it is delivered for each write that changed one of its fields, and for no other', async () => {
      const author = await subscribed('viewer', assigning)
      const [viewer, editor] = [await idOf('viewer'), await idOf('editor')]
      const id = await ticket('one', { assignee_id: viewer })
      const other = await ticket('other')
      const previous = async () => {
        const { ticket, previous } = await toldTo(author)
        return [ticket!['id'], previous]
      }
      await change(id, { subject: 'One' })
      await change(id, { subject: 'One', assignee_id: viewer, priority: 'low' })
      await change(id, { assignee_id: editor })
      assert.deepEqual(await previous(), [id, { assigneeId: viewer, priority: 'low' }])
      await send('viewer', `POST /api/v2/tickets/${id}/assign`, { assignee_id: editor })
      await send('viewer', `POST /api/v2/tickets/${id}/assign`, { assignee_id: null })
      assert.deepEqual(await previous(), [id, { assigneeId: editor, priority: 'low' }])
      await graphql(`mutation { updateTicket(id: "${id}", input: { priority: high }) { id } }`)
      assert.deepEqual(await previous(), [id, { assigneeId: null, priority: 'low' }])
      await send('viewer', 'PATCH /api/v2/tickets', { ids: [id, other], priority: 'high' })
      assert.deepEqual(await previous(), [other, { assigneeId: null, priority: 'low' }])
      const both = `PATCH /api/v2/tickets?where=${encodeURIComponent(`subject = "One" OR subject = "other"`)}`
      await send('viewer', both, { priority: 'low' })
      const many = [await previous(), await previous()]
      assert.deepEqual(new Set(many.map(([each]) => each)), new Set([id, other]))
      for (const [, values] of many) assert.deepEqual(values, { assigneeId: null, priority: 'high' })
      await send('viewer', 'POST /api/v2/reassignments', { ticket_id: id, assignee_id: editor })
      await send('viewer', 'POST /api/v2/reassignments', { ticket_id: id, assignee_id: editor })
      assert.deepEqual(await previous(), [id, { assigneeId: null, priority: 'low' }])
      await graphql(`mutation { assignTicket(id: "${id}", input: { assigneeId: "${viewer}" }) { id } }`)
      assert.deepEqual(await previous(), [id, { assigneeId: editor, priority: 'low' }])
      await author.close()
      service().assertLog()
    })

    test('13.9.1 a state that moved, and what an effect runs, have events too', async () => {
      const [closing, filing] = [
        await subscribed(
          'viewer',
          'subscription { ticketClosed { ticket { status } previous { status __typename } } }',
        ),
        await subscribed('viewer', 'subscription { ticketFiled { ticket { drawer { id } } previous { drawerId } } }'),
      ]
      const id = await ticket('moved')
      await send('viewer', `POST /api/v2/tickets/${id}/close`)
      assert.deepEqual(await toldTo(closing), {
        ticket: { status: 'closed' },
        previous: { status: 'open', __typename: 'TicketClosedPrevious' },
      })
      const drawer = (await send('viewer', 'POST /api/v2/drawers', { label: 'mine' })).id
      await send('viewer', `POST /api/v2/tickets/${id}/file`, { drawer_id: drawer })
      assert.deepEqual(await toldTo(filing), { ticket: { drawer: { id: drawer } }, previous: { drawerId: null } })
      await send('viewer', `POST /api/v2/drawers/${drawer}/clear`)
      assert.deepEqual(await toldTo(filing), { ticket: { drawer: null }, previous: { drawerId: drawer } })
      for (const socket of [closing, filing]) await socket.close()
      service().assertLog()
    })

    test('13.9.2 the record stands beside what it was, under any name, and is listened to by a relation', async () => {
      const author = await idOf('viewer')
      const socket = await subscribed(
        'viewer',
        `subscription { ticketPlanned(authorId: "${author}") { __typename now: ticket { dueAt author { id } } also: ticket { subject } was: previous { until: dueAt } } }`,
      )
      const id = await ticket('planned')
      await send('viewer', `POST /api/v2/tickets/${id}/plan`, { due_at: '2027-01-02T03:04:05.600Z' })
      await send('viewer', `POST /api/v2/tickets/${id}/plan`, { due_at: '2027-01-02T03:04:05.600Z' })
      await send('viewer', `POST /api/v2/tickets/${id}/plan`, { due_at: null })
      const now = { author: { id: author } }
      const rest = { __typename: 'TicketPlannedEvent', also: { subject: 'planned' } }
      const first = await toldTo(socket)
      assert.deepEqual(first, { ...rest, now: { ...now, dueAt: first['now']!['dueAt'] }, was: { until: null } })
      const last = await toldTo(socket)
      assert.deepEqual(last, { ...rest, now: { ...now, dueAt: null }, was: { until: '2027-01-02T03:04:05.600Z' } })
      await socket.close()
      service().assertLog()
    })

    test('13.9.3 no subscriber gets hidden values, nor that they changed', async () => {
      const remarks = 'subscription { ticketRemarked { ticket { subject } previous { note subject } } }'
      const [author, reader] = [await subscribed('viewer', remarks), await subscribed('editor', remarks)]
      const stranger = await subscribed('other viewer', remarks)
      const id = await ticket('first', { assignee_id: await idOf('editor') })
      const mine = await ticket('for you', { assignee_id: await idOf('other viewer') })
      const remark = (values: object) => send('viewer', `POST /api/v2/tickets/${id}/remark`, values)
      await remark({ note: 'secret', subject: 'first' })
      await remark({ note: 'secret', subject: 'second' })
      await remark({ note: 'public', subject: 'third' })
      const all = [await toldTo(author), await toldTo(author), await toldTo(author)]
      assert.deepEqual(
        all.map(({ previous }) => previous),
        [
          { note: 'none', subject: 'first' },
          { note: 'secret', subject: 'first' },
          { note: 'secret', subject: 'second' },
        ],
      )
      const some = [await toldTo(reader), await toldTo(reader)]
      assert.deepEqual(
        some.map(({ previous }) => previous),
        [
          { note: null, subject: 'first' },
          { note: null, subject: 'second' },
        ],
      )
      await send('viewer', `POST /api/v2/tickets/${mine}/remark`, { note: 'none', subject: 'told' })
      assert.deepEqual((await toldTo(stranger))['previous'], { note: null, subject: 'for you' })
      for (const socket of [author, reader, stranger]) await socket.close()
      service().assertLog()
    })

    test('13.9.3 nor what a hidden record is called', async () => {
      const filings = 'subscription { ticketFiled { ticket { id } previous { drawerId } } }'
      const [author, reader] = [await subscribed('viewer', filings), await subscribed('editor', filings)]
      const id = await ticket('filed', { assignee_id: await idOf('editor') })
      const drawer = (await send('viewer', 'POST /api/v2/drawers', { label: 'mine' })).id
      for (const drawer_id of [drawer, null]) await send('viewer', `POST /api/v2/tickets/${id}/file`, { drawer_id })
      const drawers = async (socket: TestSocket) =>
        [await toldTo(socket), await toldTo(socket)].map((each) => each['previous'])
      assert.deepEqual(await drawers(author), [{ drawerId: null }, { drawerId: drawer }])
      assert.deepEqual(await drawers(reader), [{ drawerId: null }, { drawerId: null }])
      for (const socket of [author, reader]) await socket.close()
      service().assertLog()
    })

    test('13.9.4 a reaction is given what the fields were before', async () => {
      const id = await ticket('reacted to')
      const due = ['2027-01-02T03:04:05.600Z', null]
      for (const due_at of due) await send('viewer', `POST /api/v2/tickets/${id}/plan`, { due_at })
      const own = () => seen.filter(([each]) => each === id)
      for (let waited = 0; own().length < 2 && waited < 500; waited++) await setTimeout(10)
      assert.deepEqual(new Set(own().map(([, dueAt]) => dueAt?.toISOString() ?? null)), new Set(due))
      service().assertLog()
    })
  },
  { definition: assignments, routes: [reassign], reactions: [planned], limits: { eventPollMs: 10 } },
)
