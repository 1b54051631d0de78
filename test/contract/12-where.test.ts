// Conditions of lists, as trees and as texts: whom they mean, what is refused, their limits, where they can be asked, and cursors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desk } from '../support/domain/desk.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { ids } from '../support/rows/list.ts'
import { asks, encoded, given, names, refuses, refusesTree } from '../support/rows/where.ts'
import { withService } from '../support/server/service.ts'

const caller: readonly Row[] = [
  asks('12.1.7', 'mine', 'assignee = me', null, ['one'], '{bob}'),
  asks('12.1.7', 'not mine', 'assignee != me', null, ['three', 'two'], '{bob}'),
  asks('12.1.7', 'before now', 'due_at < now', null, ['one']),
  asks('12.1.7', 'within so long', 'due_at > now - 2d AND due_at < now + 2w', null, ['one', 'two']),
  asks('12.1.7', 'a day before now', 'due_on > now', null, ['two']),
  asks('12.1.20', 'this month', 'due_at >= startOf("month")', null, ['one', 'two']),
  asks('12.1.20', 'before today', 'due_at < startOf("day")', null, ['one']),
  asks('12.1.20', 'a day after today', 'due_on = startOf(\'day\', "Europe/Vienna") + 2d', null, ['two']),
  asks('12.1.20', 'the day in another zone', 'due_on = startOf("day", "Pacific/Kiritimati") + 2d', null, ['two']),
  asks('12.1.21', 'two values of one record', 'budget < cost', null, ['one'], '{ann}'),
  asks('12.1.21', 'which are not the same', 'budget != cost', null, ['one', 'secret', 'three', 'two'], '{ann}'),
  asks('12.1.21', 'of which one is hidden', 'budget < cost', null, [], '{bob}'),
  asks('12.1.21', 'on a path', 'assignee.name < assignee.nick', null, ['one'], '{bob}'),
  refuses('12.1.21', 'points < cost', 'where: Column 10: cost is a value of another kind.'),
  refuses('12.1.21', 'points < points', 'where: Column 10: this compares a value with itself.'),
  refuses('12.1.21', 'parent.title = title', 'where: Column 16: a comparison is between values of one record.'),
  refuses('12.1.21', 'priority < kind', 'where: Column 12: kind is a value of another kind.'),
  refuses('12.1.21', 'urgent < urgent', /Column 10/),
  refuses('12.1.20', 'due_at > startOf("decade")', /Column 18: expected one of hour, day, week, month/),
  refuses('12.1.20', 'due_at > startOf(day)', /Column 18: expected one of hour/),
  refuses('12.1.20', 'due_on > startOf("hour")', 'where: Column 18: a day has no hours.'),
  refuses('12.1.20', 'due_at > startOf("day", "Mars")', /Column 25: expected a time zone in quotes/),
  refuses('12.1.20', 'title > startOf("day")', /Column 9/),
  // It is half past nine: 38 hours later the day before it ends, 39 hours later it has begun.
  asks('12.1.7', 'after the day of a moment before midnight', 'due_on > now + 38h', null, ['two']),
  asks('12.1.7', 'not after the day of a moment behind midnight', 'due_on > now + 39h', null, []),
  asks('12.1.7', 'on the day of a moment in the morning', 'due_on = now + 39h', null, ['two']),
  asks('12.1.7', 'on the day of a moment in the evening', 'due_on = now + 62h', null, ['two']),
  asks('12.1.7', 'before the day of a moment', 'due_on < now + 63h', null, ['two']),
  asks('12.1.7', 'whose name is mine', 'assignee.name = me.name', null, ['one'], '{bob}'),
  asks('12.1.7', 'whose nick is mine, as far as it is seen', 'assignee.nick = me.nick', null, ['one'], '{bob}'),
  {
    clause: '12.1.7',
    it: 'a caller without a credential is anonymous',
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
  refuses('12.1.16', 'status = "open" OR points = 1 AND points = 2', /Column 31: AND next to OR needs parentheses/),
  refuses('12.1.16', 'hello', /Column 1: there is no hello/),
  refuses('12.1.16', 'title', /Column 6: expected an operator/),
  refuses('12.1.16', 'title = "a" title = "b"', /Column 13: expected AND, OR or the end/),
  refuses('12.1.16', '-title = "a"', /Column 1: - is no negation/),
  refuses('12.1.16', 'title = *', /Column 9: \* is no wildcard/),
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
  refuses('12.1.22', 'contains(assignee.nick, "x")', /Column 1: this operator is none of its kind/),
  refuses('12.1.22', 'endsWith(status, "n")', /Column 1: this operator is none of its kind/),
  refuses('12.1.22', 'contains(title, "")', /Column 17: must not be empty/),
  refuses('12.1.22', 'contains(title, me.name)', /Column 17: expected a text/),
  refuses('12.1.2', 'labels = "x"', /Column 8: this operator is none of its kind/),
  refuses('12.1.2', 'title : "x"', /Column 7: : tests the values of a list/),
  refuses('12.1.7', 'title = me', /Column 9: me is an account/),
  refuses('12.1.7', 'assignee.name = me.password', /Column 20: your account has no password/),
  refuses('12.1.7', 'due_at < now - 7y', /Column 16: expected a span such as 7d/),
  refuses('12.1.8', 'messages.body = "x"', /Column 1: this leads through a list/),
  refuses(
    '12.1.8',
    'some(owner, name = "x")',
    /Column 6: there is no owner to compare here; only messages, tags, watchers/,
  ),
  refuses('12.1.1', 'owner.email = "x"', /Column 7: there is no email to compare here/),
  refuses('12.1.1', 'closed = true', /Column 1: there is no closed/),
  refusesTree('12.1.5', '{}', 'where', 'where: Must hold a condition.'),
  refusesTree('12.1.5', 'null', 'where', /Must not be null/),
  refusesTree('12.1.5', '{ status: {} }', 'where.status', /Must hold a condition/),
  refusesTree('12.1.5', '{ status: null }', 'where.status', /Must not be null/),
  refusesTree('12.1.5', '{ status: { eq: null } }', 'where.status.eq', /Must not be null/),
  refusesTree('12.1.5', '{ or: [] }', 'where.or', /At least 1/),
  refusesTree('12.1.5', '{ or: [{}] }', 'where.or[0]', /Must hold a condition/),
  refusesTree('12.1.5', '{ not: {} }', 'where.not', /Must hold a condition/),
  refusesTree('12.1.5', '{ status: { in: [] } }', 'where.status.in', /At least 1/),
  refusesTree('12.1.5', '{ messages: {} }', 'where.messages', /Must hold a condition/),
  refusesTree('12.1.5', '{ messages: { some: {} } }', 'where.messages.some', /Must hold a condition/),
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
    it: 'no shared cache keeps the answer',
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

clauses('12.1 Conditions', [...caller, ...refusals, ...limits, ...everywhere], { definition: desk })

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
