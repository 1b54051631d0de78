// Conditions of lists, as trees and as texts: what they may ask, what they mean, and that they tell nothing that reading would not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desk } from '../support/domain/desk.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { ids } from '../support/rows/list.ts'
import { type Caller, withService } from '../support/server/service.ts'

const day = (number: number) => new Date(Date.UTC(2026, 10, number, 12))
const given = {
  ann: { User: { name: 'Ann', nick: 'a' } },
  bob: { User: { name: 'Bob', nick: 'b', email: 'bob.{word}@example.com' } },
  hidden: { User: { name: 'Hidden', shown: false } },
  one: {
    Ticket: {
      title: 'One',
      status: 'open',
      priority: 'HIGH',
      owner: '{ann}',
      assignee: '{bob}',
      dueAt: day(19),
      cost: '12.50',
      points: 5,
      labels: ['x', 'y'],
      size: 9007199254740993n,
    },
  },
  two: {
    Ticket: {
      title: 'Two "quoted"',
      status: 'pending',
      priority: 'LOW',
      owner: '{ann}',
      assignee: '{hidden}',
      dueAt: day(30),
      dueOn: '2026-11-22',
      parent: '{one}',
      points: -3,
      labels: [],
    },
  },
  three: { Ticket: { title: 'Three', status: 'closed', owner: '{ann}', urgent: true, weight: 0.5, kind: 'bug' } },
  secret: { Ticket: { title: 'Secret', owner: '{ann}', assignee: '{bob}', closed: true } },
  said: { Message: { ticket: '{one}', author: '{bob}', body: 'said' } },
  whispered: { Message: { ticket: '{two}', author: '{ann}', body: 'whispered', internal: true } },
  billing: { Tag: { ticket: '{two}', name: 'billing' } },
  covert: { Tag: { ticket: '{three}', name: 'covert', hidden: true } },
} as const
const names = Object.keys(given) as (keyof typeof given)[]

const encoded = (text: string) => encodeURIComponent(text).replaceAll('%7B', '{').replaceAll('%7D', '}')
const mine = (text: string) => `owner = "{ann}" AND (${text})`
type Names = readonly (keyof typeof given)[]

/** A condition on Ann's tickets, as text and as tree; they are answered in the order of their titles. */
const asks = (
  clause: Row['clause'],
  it: string,
  text: string,
  tree: string | null,
  found: Names,
  as: Caller = 'viewer',
): Row => ({
  clause,
  it: `${it}: ${text}`,
  as,
  given,
  send: `GET /api/v2/tickets?sort=title&where=${encoded(mine(text))}`,
  also:
    tree === null
      ? {
          query: 'query ($where: String) { tickets(sort: [TITLE_ASC], whereText: $where) { nodes { id } } }',
          variables: { where: mine(text) },
        }
      : `{ tickets(sort: [TITLE_ASC], where: { ownerId: { eq: "{ann}" }, and: [${tree}] }) { nodes { id } } }`,
  answer: { status: 200, data: ids(...found) },
})

/** What is wrong with a text. */
const refuses = (clause: Row['clause'], text: string, message: string | RegExp): Row => ({
  clause,
  it: `${text === '' ? 'nothing' : text} is refused`,
  as: 'viewer',
  given,
  send: `GET /api/v2/tickets?where=${encoded(text)}`,
  also: {
    query: 'query ($where: String) { tickets(whereText: $where) { nodes { id } } }',
    variables: { where: text },
    answer: { field: 'where_text', message: /^whereText/ },
  },
  answer: { status: 400, code: 'VALIDATION_ERROR', field: 'where', message },
})
/** What is wrong with a tree. */
const refusesTree = (clause: Row['clause'], tree: string, field: string, message: string | RegExp): Row => ({
  clause,
  it: `${tree} is refused`,
  as: 'viewer',
  also: { query: `{ tickets(where: ${tree}) { nodes { id } } }` },
  answer: { status: 200, code: 'VALIDATION_ERROR', field, message },
})

const values: readonly Row[] = [
  asks('12.1.2', 'a text is this', 'title = "One"', '{ title: { eq: "One" } }', ['one']),
  asks(
    '12.1.6',
    'quotes within quotes',
    String.raw`title = "Two \"quoted\""`,
    String.raw`{ title: { eq: "Two \"quoted\"" } }`,
    ['two'],
  ),
  asks('12.1.6', 'in single quotes', `title = 'Two "quoted"'`, null, ['two']),
  asks('12.1.2', 'a text begins so', 'startsWith(title, "T")', '{ title: { startsWith: "T" } }', ['three', 'two']),
  asks('12.1.2', 'letter by letter', 'startsWith(title, "t")', '{ title: { startsWith: "t" } }', []),
  asks('12.1.2', 'a text is greater', 'title > "Three"', '{ title: { gt: "Three" } }', ['two']),
  asks('12.1.2', 'one of these', 'status IN ("open", "closed")', '{ status: { in: [open, closed] } }', [
    'one',
    'three',
  ]),
  asks('12.1.2', 'one of one', 'status IN ("pending")', '{ status: { in: [pending] } }', ['two']),
  asks('12.1.2', 'not this', 'status != "open"', '{ status: { ne: open } }', ['three', 'two']),
  asks('12.1.2', 'an ordered choice is at least', 'priority >= "NORMAL"', '{ priority: { gte: NORMAL } }', [
    'one',
    'three',
  ]),
  asks('12.1.2', 'a number is less', 'points < 0', '{ points: { lt: 0 } }', ['two']),
  asks('12.1.2', 'a number is one of these', 'points IN (5, -3)', '{ points: { in: [5, -3] } }', ['one', 'two']),
  asks('12.1.2', 'an exact number', 'cost = 12.5', '{ cost: { eq: "12.5" } }', ['one'], '{ann}'),
  asks('12.1.2', 'a number of 64 bits', 'size > 9007199254740992', '{ size: { gt: "9007199254740992" } }', ['one']),
  asks(
    '12.1.2',
    'one of such numbers',
    'size IN (1, 9007199254740993)',
    '{ size: { in: ["1", "9007199254740993"] } }',
    ['one'],
  ),
  asks('12.1.2', 'a number with a point', 'weight = 0.5', '{ weight: { eq: 0.5 } }', ['three']),
  asks('12.1.2', 'a day', 'due_on <= "2026-11-22"', '{ dueOn: { lte: "2026-11-22" } }', ['two']),
  asks(
    '12.1.2',
    'a moment, whatever its offset',
    'due_at = "2026-11-19T13:00:00+01:00"',
    '{ dueAt: { eq: "2026-11-19T13:00:00+01:00" } }',
    ['one'],
  ),
  asks('12.1.2', 'true', 'urgent = true', '{ urgent: { eq: true } }', ['three']),
  asks('12.1.2', 'a list has', 'labels : "x"', '{ labels: { has: "x" } }', ['one']),
  asks('12.1.2', 'a relation', 'assignee = "{bob}"', '{ assigneeId: { eq: "{bob}" } }', ['one']),
  asks('12.1.8', 'a relation by the name of its id', 'assignee_id = "{bob}"', '{ assigneeId: { eq: "{bob}" } }', [
    'one',
  ]),
  asks('12.1.2', 'the id itself', 'id IN ("{one}", "{three}")', '{ id: { in: ["{one}", "{three}"] } }', [
    'one',
    'three',
  ]),
  asks('12.1.3', 'what is not this is null, too', 'points != 5', '{ points: { ne: 5 } }', ['three', 'two']),
  asks(
    '12.1.3',
    'nothing is less than null, or greater',
    'NOT points < 0 AND NOT points >= 0',
    '{ and: [{ not: { points: { lt: 0 } } }, { not: { points: { gte: 0 } } }] }',
    ['three'],
  ),
  asks('12.1.3', 'is null', 'kind = null', '{ kind: { isNull: true } }', ['one', 'two']),
  asks('12.1.3', 'is not null', 'kind != null', '{ kind: { isNull: false } }', ['three']),
  asks('12.1.3', 'an empty list has nothing', 'NOT labels : "x"', '{ not: { labels: { has: "x" } } }', [
    'three',
    'two',
  ]),
  asks('12.1.3', 'no list is null, an empty one is not', 'labels = null', '{ labels: { isNull: true } }', ['three']),
  asks(
    '12.1.3',
    'alternatives',
    'title = "One" OR points = -3',
    '{ or: [{ title: { eq: "One" } }, { points: { eq: -3 } }] }',
    ['one', 'two'],
  ),
  asks(
    '12.1.3',
    'all members hold',
    'points >= 0 AND points < 6 AND status = "open"',
    '{ points: { gte: 0, lt: 6 }, status: { eq: open } }',
    ['one'],
  ),
]

const paths: readonly Row[] = [
  asks('12.1.1', 'a value behind a relation', 'assignee.name = "Bob"', '{ assignee: { name: { eq: "Bob" } } }', [
    'one',
  ]),
  asks('12.1.3', 'who has none has no name', 'assignee.name != "Bob"', '{ assignee: { name: { ne: "Bob" } } }', [
    'three',
    'two',
  ]),
  asks(
    '12.1.3',
    'its negation is the same',
    'NOT assignee.name = "Bob"',
    '{ assignee: { not: { name: { eq: "Bob" } } } }',
    ['three', 'two'],
  ),
  asks('12.1.3', 'a name is null where nobody is', 'assignee.name = null', '{ assignee: { name: { isNull: true } } }', [
    'three',
    'two',
  ]),
  asks(
    '12.1.4',
    'a hidden record has no name',
    'assignee.name = "Hidden"',
    '{ assignee: { name: { eq: "Hidden" } } }',
    [],
  ),
  asks(
    '12.1.4',
    'and has one for who may read it',
    'assignee.name = "Hidden"',
    '{ assignee: { name: { eq: "Hidden" } } }',
    ['two'],
    'editor',
  ),
  asks('12.1.4', 'nor an id', 'assignee = "{hidden}"', '{ assigneeId: { eq: "{hidden}" } }', []),
  asks('12.1.4', 'its id is null', 'assignee = null', '{ assigneeId: { isNull: true } }', ['three', 'two']),
  asks(
    '12.1.4',
    'which it is not for others',
    'assignee = null',
    '{ assigneeId: { isNull: true } }',
    ['three'],
    'editor',
  ),
  asks('12.1.4', 'a protected value is null', 'cost = null', '{ cost: { isNull: true } }', ['one', 'three', 'two']),
  asks(
    '12.1.4',
    'it is not less, not greater and not this',
    'cost > 0 OR cost <= 0 OR cost = 12.50',
    '{ or: [{ cost: { gt: "0" } }, { cost: { lte: "0" } }, { cost: { eq: "12.50" } }] }',
    [],
  ),
  asks('12.1.4', 'and so is not this', 'cost != 12.50', '{ cost: { ne: "12.50" } }', ['one', 'three', 'two']),
  asks(
    '12.1.4',
    'which its owner sees',
    'cost != 12.50',
    '{ cost: { ne: "12.50" } }',
    ['secret', 'three', 'two'],
    '{ann}',
  ),
  asks(
    '12.1.4',
    'a protected value behind a relation',
    'assignee.nick = "b"',
    '{ assignee: { nick: { eq: "b" } } }',
    [],
  ),
  asks(
    '12.1.4',
    'is there for who may see it',
    'assignee.nick = "b"',
    '{ assignee: { nick: { eq: "b" } } }',
    ['one'],
    '{bob}',
  ),
  asks(
    '12.1.4',
    'an address',
    'startsWith(assignee.email, "bob.")',
    '{ assignee: { email: { startsWith: "bob." } } }',
    [],
  ),
  asks(
    '12.1.4',
    'a protected relation leads nowhere',
    'parent.title = "One"',
    '{ parent: { title: { eq: "One" } } }',
    [],
  ),
  asks(
    '12.1.4',
    'but for who may see it',
    'parent.assignee.name = "Bob"',
    '{ parent: { assignee: { name: { eq: "Bob" } } } }',
    ['two'],
    '{ann}',
  ),
  asks('12.1.4', 'what is hidden is in no list', 'title = "Secret"', '{ title: { eq: "Secret" } }', []),
  asks('12.1.8', 'a value in a list', 'messages.body : "said"', '{ messages: { some: { body: { eq: "said" } } } }', [
    'one',
  ]),
  asks(
    '12.1.4',
    'hidden records are in no list',
    'messages.body : "whispered"',
    '{ messages: { some: { body: { eq: "whispered" } } } }',
    [],
  ),
  asks(
    '12.1.4',
    'which is empty then',
    'none(messages, created_at < now + 1d)',
    '{ messages: { none: { createdAt: { lt: "2030-01-01T00:00:00Z" } } } }',
    ['three', 'two'],
  ),
  asks(
    '12.1.4',
    'and not for others',
    'none(messages, created_at < now + 1d)',
    '{ messages: { none: { createdAt: { lt: "2030-01-01T00:00:00Z" } } } }',
    ['secret', 'three'],
    'editor',
  ),
  asks(
    '12.1.8',
    'several things of one record',
    'some(messages, body = "said" AND author.name = "Bob")',
    '{ messages: { some: { body: { eq: "said" }, author: { name: { eq: "Bob" } } } } }',
    ['one'],
  ),
  asks(
    '12.1.8',
    'a condition in a list',
    'some(messages, NOT author.name = "Bob")',
    '{ messages: { some: { not: { author: { name: { eq: "Bob" } } } } } }',
    [],
  ),
  asks(
    '12.1.8',
    'tags',
    'tags.name : "billing" OR tags.name : "covert"',
    '{ or: [{ tags: { some: { name: { eq: "billing" } } } }, { tags: { some: { name: { eq: "covert" } } } }] }',
    ['two'],
  ),
  asks(
    '12.1.8',
    'a list in a list',
    'owner.owned.title : "Secret"',
    '{ owner: { owned: { some: { title: { eq: "Secret" } } } } }',
    [],
  ),
  asks(
    '12.1.8',
    'which somebody else reads',
    'some(owner.owned, title = "Secret")',
    '{ owner: { owned: { some: { title: { eq: "Secret" } } } } }',
    ['one', 'secret', 'three', 'two'],
    'editor',
  ),
]

const asker: readonly Row[] = [
  asks('12.1.7', 'mine', 'assignee = me', null, ['one'], '{bob}'),
  asks('12.1.7', 'not mine', 'assignee != me', null, ['three', 'two'], '{bob}'),
  asks('12.1.7', 'before now', 'due_at < now', null, ['one']),
  asks('12.1.7', 'within so long', 'due_at > now - 2d AND due_at < now + 2w', null, ['one', 'two']),
  asks('12.1.7', 'a day before now', 'due_on > now', null, ['two']),
  asks('12.1.7', 'whose name is mine', 'assignee.name = me.name', null, ['one'], '{bob}'),
  asks('12.1.7', 'whose nick is mine, as far as it is seen', 'assignee.nick = me.nick', null, ['one'], '{bob}'),
  {
    clause: '12.1.7',
    it: 'who shows no credential is nobody',
    as: 'anonymous',
    send: `GET /api/v2/tickets?where=${encoded('assignee = me')}`,
    also: '{ tickets(whereText: "assignee = me") { nodes { id } } }',
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  {
    clause: '12.1.7',
    it: 'in a list below a record, too',
    as: 'anonymous',
    given,
    also: '{ user(id: "{ann}") { owned(whereText: "assignee = me") { id } } }',
    answer: { status: 200, code: 'UNAUTHENTICATED', path: ['user', 'owned'] },
  },
]

const refusals: readonly Row[] = [
  refuses('12.1.6', 'status = "open" OR points = 1 AND points = 2', /Column 31: AND beside OR needs parentheses/),
  refuses('12.1.6', 'hello', /Column 1: there is no hello/),
  refuses('12.1.6', 'title', /Column 6: expected an operator/),
  refuses('12.1.6', 'title = "a" title = "b"', /Column 13: expected AND, OR or the end/),
  refuses('12.1.6', '-title = "a"', /Column 1: - is no negation/),
  refuses('12.1.6', 'title = *', /Column 9: \* stands for nothing/),
  refuses('12.1.6', 'title = a', /Column 9: expected a text in quotes/),
  refuses('12.1.6', 'title = "a', /Column 9: the text has no closing quote/),
  refuses('12.1.6', '(title = "a"', /Column 13: expected \)/),
  refuses('12.1.6', 'title = "a")', /Column 12: this parenthesis was not opened/),
  refuses('12.1.6', 'title = "\u{1f600}" & points = 1', /Column 13: & means nothing here/),
  refuses('12.1.6', 'points = "1"', /Column 10: must be a whole number/),
  refuses('12.1.6', 'points = 1.5', /Column 10: must be a whole number/),
  refuses('12.1.6', 'title = 1', /Column 9: expected no number/),
  refuses('12.1.6', 'status = "gone"', /Column 10: must be one of open, pending, closed/),
  refuses('12.1.6', 'points < null', /Column 10: null is compared by = and != alone/),
  refuses('12.1.3', 'title = null', /Column 9: this is never null/),
  refuses('12.1.2', 'status < "open"', /Column 8: this operator is none of its kind/),
  refuses('12.1.2', 'labels = "x"', /Column 8: this operator is none of its kind/),
  refuses('12.1.2', 'title : "x"', /Column 7: : asks what a list holds/),
  refuses('12.1.7', 'title = me', /Column 9: me is an account/),
  refuses('12.1.7', 'assignee.name = me.password', /Column 20: your account has no password/),
  refuses('12.1.7', 'due_at < now - 7y', /Column 16: expected a span such as 7d/),
  refuses('12.1.8', 'messages.body = "x"', /Column 1: this leads through a list/),
  refuses(
    '12.1.8',
    'some(owner, name = "x")',
    /Column 6: there is no owner to ask for here; only messages, tags, watchers/,
  ),
  refuses('12.1.1', 'owner.email = "x"', /Column 7: there is no email to ask for here/),
  refuses('12.1.1', 'closed = true', /Column 1: there is no closed/),
  refusesTree('12.1.5', '{}', 'where', 'where: Must ask for something.'),
  refusesTree('12.1.5', 'null', 'where', /Must not be null/),
  refusesTree('12.1.5', '{ status: {} }', 'where.status', /Must ask for something/),
  refusesTree('12.1.5', '{ status: null }', 'where.status', /Must not be null/),
  refusesTree('12.1.5', '{ status: { eq: null } }', 'where.status.eq', /Must not be null/),
  refusesTree('12.1.5', '{ or: [] }', 'where.or', /At least 1/),
  refusesTree('12.1.5', '{ or: [{}] }', 'where.or[0]', /Must ask for something/),
  refusesTree('12.1.5', '{ not: {} }', 'where.not', /Must ask for something/),
  refusesTree('12.1.5', '{ status: { in: [] } }', 'where.status.in', /At least 1/),
  refusesTree('12.1.5', '{ messages: {} }', 'where.messages', /Must ask for something/),
  refusesTree('12.1.5', '{ messages: { some: {} } }', 'where.messages.some', /Must ask for something/),
  refusesTree('12.1.5', '{ cost: { eq: "1.234" } }', 'where.cost.eq', /scale|digits/),
]

const many = (count: number, each: string, word: string) => Array.from({ length: count }, () => each).join(word)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(', ')
const limits: readonly Row[] = [
  asks(
    '12.1.9',
    '20 comparisons',
    many(19, 'points < 9', ' OR '),
    `{ or: [${many(19, '{ points: { lt: 9 } }', ', ')}] }`,
    ['one', 'two'],
  ),
  refuses('12.1.9', many(21, 'points = 1', ' OR '), /At most 20 comparisons/),
  refusesTree(
    '12.1.9',
    `{ or: [${many(21, '{ points: { eq: 1 } }', ', ')}] }`,
    'where.or[20].points.eq',
    /At most 20 comparisons/,
  ),
  asks(
    '12.1.9',
    '4 levels',
    'NOT (points = 1 AND points = 2)',
    '{ not: { and: [{ points: { eq: 1 } }, { points: { eq: 2 } }] } }',
    ['one', 'three', 'two'],
  ),
  refuses('12.1.9', 'NOT NOT NOT NOT NOT points = 1', /At most 4 levels/),
  refuses('12.1.9', 'NOT (points = 1 AND (points = 2 OR NOT (points = 3 AND points = 4)))', /At most 4 levels/),
  refusesTree(
    '12.1.9',
    '{ not: { not: { not: { not: { not: { points: { eq: 1 } } } } } } }',
    'where.not.not.not.not.not',
    /At most 4 levels/,
  ),
  asks('12.1.9', '100 values', `points IN (${numbers(100)})`, `{ points: { in: [${numbers(100)}] } }`, ['one']),
  refuses('12.1.9', `points IN (${numbers(101)})`, /At most 100/),
  refusesTree('12.1.9', `{ points: { in: [${numbers(101)}] } }`, 'where.points.in', /At most 100/),
  {
    clause: '12.1.9',
    it: 'a comparison through a list costs ten points',
    as: 'viewer',
    also: `{ ${Array.from({ length: 10 }, (_, at) => `t${at}: ticketList(where: { or: [${many(10, '{ messages: { some: { body: { eq: "x" } } } }', ', ')}] }) { id }`).join(' ')} }`,
    answer: { status: 200, code: 'QUERY_TOO_COMPLEX', message: 'Query complexity 1110 exceeds the maximum of 1000.' },
  },
]

const everywhere: readonly Row[] = [
  {
    clause: '12.1.10',
    it: 'below a record',
    as: 'viewer',
    given,
    send: `GET /api/v2/users/{ann}/owned?where=${encoded('points > 0')}`,
    also: {
      query: '{ user(id: "{ann}") { owned(where: { points: { gt: 0 } }) { id } } }',
      answer: { data: { owned: ids('one') } },
    },
    answer: { status: 200, data: ids('one') },
  },
  {
    clause: '12.1.10',
    it: 'of a list with a name',
    as: 'viewer',
    given,
    send: `GET /api/v2/tickets/urgent?where=${encoded('owner = "{ann}"')}`,
    also: '{ urgentTickets(where: { ownerId: { eq: "{ann}" } }) { nodes { id } } }',
    answer: { status: 200, data: ids('three') },
  },
  {
    clause: '12.1.10',
    it: 'beside a filter',
    as: 'viewer',
    given,
    send: `GET /api/v2/tickets?status=open&where=${encoded('owner = "{ann}"')}`,
    also: '{ tickets(filter: { status: open }, where: { ownerId: { eq: "{ann}" } }) { nodes { id } } }',
    answer: { status: 200, data: ids('one') },
  },
  {
    clause: '12.1.10',
    it: 'a tree and a text exclude each other',
    as: 'viewer',
    also: '{ tickets(where: { points: { eq: 1 } }, whereText: "points = 1") { nodes { id } } }',
    answer: { status: 200, code: 'VALIDATION_ERROR', field: 'where_text' },
  },
  {
    clause: '12.1.1',
    it: 'a resource without conditions knows no such parameter',
    as: 'viewer',
    send: 'GET /api/v2/tags?where=x',
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'where', message: /There is no such parameter here/ },
  },
  {
    clause: '12.1.8',
    it: 'an older version has its own names',
    as: 'viewer',
    given,
    send: `GET /api/v1/tickets?where=${encoded('owner = "{ann}" AND subject = "One" AND helper.name = "Bob" AND helper_id != null')}`,
    answer: { status: 200, data: ids('one') },
  },
  {
    clause: '12.1.8',
    it: 'and none of the newer',
    as: 'viewer',
    send: `GET /api/v1/tickets?where=${encoded('title = "One"')}`,
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'where', message: /there is no title/ },
  },
  {
    clause: '12.1.12',
    it: 'nobody else keeps what was asked',
    as: 'anonymous',
    send: `GET /api/v2/tickets?where=${encoded('points > 0')}`,
    answer: { status: 200, headers: { 'cache-control': 'private, no-cache' } },
  },
  {
    clause: '12.1.12',
    it: 'as they keep what was not',
    as: 'anonymous',
    send: 'GET /api/v2/tickets',
    answer: { status: 200, headers: { 'cache-control': 'public, no-cache' } },
  },
]

clauses('12.1 Conditions', [...values, ...paths, ...asker, ...refusals, ...limits, ...everywhere], { definition: desk })

withService(
  '12.1 Cursors of conditions',
  (running) => {
    const page = async (where: string, rest = '') => {
      const fixtures = shared.get(running().engine)!
      return running().send(`GET /api/v2/tickets?limit=1&where=${encodeURIComponent(where)}${rest}`, {
        as: 'viewer',
        fixtures,
      })
    }
    const shared = new Map<string, ReturnType<ReturnType<typeof running>['fixtures']>>()

    test('12.1.11 pages lead on and back, with the same condition however it is spelled', async () => {
      const fixtures = running().fixtures(given)
      shared.set(running().engine, fixtures)
      for (const name of names) await fixtures.idOf(name)
      const ids = await Promise.all(['three', 'two', 'one'].map((name) => fixtures.idOf(name)))
      const owner = await fixtures.idOf('ann')
      const spellings = [
        `owner = "${owner}" AND created_at < now + 1d`,
        `created_at<now+24h AND (owner_id = '${owner}')`,
      ]
      let rest = ''
      const seen: string[] = []
      for (let at = 0; at < 3; at++) {
        const { body } = await page(spellings[at % 2]!, rest)
        seen.push(body.data[0].id)
        rest = `&cursor=${body.meta.next_cursor ?? body.meta.prev_cursor}`
        // A clock that moves on moves no page.
        running().advance(5_000)
      }
      assert.deepEqual(seen, ids)
      const back = await page(spellings[1]!, rest)
      assert.equal(back.body.data[0].id, ids[1])
    })

    test('12.1.11 a cursor of another condition is 400', async () => {
      const { body } = await page('created_at < now + 1d')
      const cursor = `&cursor=${body.meta.next_cursor}`
      assert.equal((await page('created_at < now + 1d', cursor)).status, 200)
      for (const other of ['created_at < now + 2d', 'created_at <= now + 1d', 'NOT created_at < now + 1d']) {
        const { status, body: refused } = await page(other, cursor)
        assert.equal(status, 400)
        assert.equal(refused.error.details[0].field, 'cursor')
      }
      const { status } = await running().send(`GET /api/v2/tickets?limit=1${cursor}`, { as: 'viewer' })
      assert.equal(status, 400)
    })
  },
  { definition: desk },
)
