// Choices with an order: sorted, paged and compared by their places, not by their letters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyOf,
  arg,
  atLeast,
  atMost,
  choice,
  field,
  is,
  may,
  optional,
  resource,
  service,
  signedIn,
  text,
  when,
} from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { ids, list } from '../support/rows/list.ts'
import { withService } from '../support/server/service.ts'

const urgencies = ['LOW', 'NORMAL', 'HIGH', 'URGENT'] as const
const Ticket = resource('Ticket', {
  prefix: 'tkt',
  fields: {
    subject: text({ max: 50 }),
    priority: choice(urgencies, { ordered: true, default: 'NORMAL' }),
    before: optional(choice(urgencies, { ordered: true })),
  },
  filter: { subject: is, priority: is, minPriority: atLeast('priority'), maxPriority: atMost('priority') },
  sort: ['priority', 'before'],
  queries: {
    pressing: { allow: signedIn, args: { from: choice(urgencies) }, where: when({ priority: atLeast(arg('from')) }) },
  },
  actions: {
    read: { allow: anyOf(may('read_any'), when({ priority: atMost('HIGH') })) },
    create: { allow: signedIn, accept: ['subject', 'priority', 'before'] },
    calm: { allow: allowCalm(), set: { priority: 'LOW' } },
  },
})
/** Only those whose priority has fallen. */
function allowCalm() {
  return when({ before: atLeast(field('priority')) })
}
const definition = service({
  resources: { User, Post, Comment, Ticket },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})

const ticket = (priority: string, more: object = {}) => ({ Ticket: { subject: '{word}', priority, ...more } })
const given = {
  high: ticket('HIGH', { before: 'HIGH' }),
  low: ticket('LOW'),
  urgent: ticket('URGENT', { before: 'LOW' }),
  normal: ticket('NORMAL', { before: 'URGENT' }),
}
const tickets = (it: string, query: string, also: string, names: readonly string[], as?: 'admin' | 'viewer') =>
  list('11.3.3', it, given, ['tickets', `subject={word}&${query}`], `tickets(${also})`, names, as)
const mine = 'filter: { subject: "{word}" }'
const page = (after: string, before: string): Row => ({
  clause: '11.3.4',
  it: `after ${after} there is ${before}`,
  as: 'admin',
  given,
  first: [
    {
      as: 'admin',
      send: 'GET /api/v2/tickets?subject={word}&sort=-priority&limit=2',
      keep: { next: 'body.meta.next_cursor' },
    },
  ],
  send: 'GET /api/v2/tickets?subject={word}&sort=-priority&limit=1&cursor={next}',
  answer: { status: 200, data: ids(before) },
})

clauses(
  '11.3 Ordered choices',
  [
    tickets('the least first', 'sort=priority', `${mine}, sort: [PRIORITY_ASC]`, ['low', 'normal', 'high', 'urgent']),
    tickets('the greatest first', 'sort=-priority', `${mine}, sort: [PRIORITY_DESC]`, [
      'urgent',
      'high',
      'normal',
      'low',
    ]),
    tickets('what has none comes last', 'sort=before', `${mine}, sort: [BEFORE_ASC]`, [
      'urgent',
      'high',
      'normal',
      'low',
    ]),
    tickets(
      'at least this',
      'min_priority=HIGH&sort=priority',
      'filter: { subject: "{word}", minPriority: HIGH }, sort: [PRIORITY_ASC]',
      ['high', 'urgent'],
    ),
    tickets(
      'at most this',
      'max_priority=NORMAL&sort=priority',
      'filter: { subject: "{word}", maxPriority: NORMAL }, sort: [PRIORITY_ASC]',
      ['low', 'normal'],
    ),
    tickets(
      'a rule compares by places',
      'sort=priority',
      `${mine}, sort: [PRIORITY_ASC]`,
      ['low', 'normal', 'high'],
      'viewer',
    ),
    page('high', 'normal'),
    {
      clause: '11.3.3',
      it: 'a query compares with a position',
      as: 'admin',
      given,
      send: 'GET /api/v2/tickets/pressing?from=URGENT&sort=-created_at&limit=1',
      also: '{ pressingTickets(from: URGENT, first: 1) { nodes { id } } }',
      answer: { status: 200, data: ids('urgent') },
    },
    {
      clause: '11.3.3',
      it: 'a rule compares two of one order',
      as: 'admin',
      given,
      send: 'POST /api/v2/tickets/{normal}/calm',
      also: 'mutation { calmTicket(id: "{normal}") { priority } }',
      answer: { status: 200, data: { priority: 'LOW' } },
    },
    {
      clause: '11.3.3',
      it: 'and does not hold where the other is greater',
      as: 'admin',
      given,
      send: 'POST /api/v2/tickets/{urgent}/calm',
      also: 'mutation { calmTicket(id: "{urgent}") { priority } }',
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    {
      clause: '11.3.3',
      it: 'is sent and answered by its name',
      as: 'viewer',
      send: 'POST /api/v2/tickets',
      body: { subject: 'S', priority: 'HIGH' },
      also: 'mutation { createTicket(input: { subject: "S", priority: HIGH }) { priority } }',
      answer: { status: 201, data: { priority: 'HIGH' } },
    },
    {
      clause: '11.3.3',
      it: 'no place is a name',
      as: 'viewer',
      send: 'GET /api/v2/tickets?min_priority=2',
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'min_priority' },
    },
  ],
  { definition },
)

withService(
  '11.3 Ordered choices, in documents',
  (service) => {
    test('11.3.3 both documents say the order', async () => {
      const sentence = 'The priority of the ticket. In this order: LOW, NORMAL, HIGH, URGENT.'
      const { body } = await service().client.send('GET /api/v2/openapi.json')
      assert.equal(body.components.schemas.Ticket.properties.priority.description, sentence)
      const type = await service().graphql('{ __type(name: "Ticket") { fields { name description } } }')
      const fields: readonly { name: string; description: string }[] = type.body.data.__type.fields
      assert.equal(fields.find(({ name }) => name === 'priority')!.description, sentence)
    })
  },
  { definition },
)
