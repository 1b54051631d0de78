// What the client asks as trees, as REST reads it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetError } from './error.ts'
import { printCertainWhere, printWhere } from './where.ts'

const cases: readonly (readonly [tree: unknown, text: string])[] = [
  ['status = "open"', 'status = "open"'],
  [{ status: { eq: 'open' } }, 'status = "open"'],
  [{ title: { eq: 'a "b" \\' } }, 'title = "a \\"b\\" \\\\"'],
  [{ assigneeId: { in: ['usr_1', 'usr_2'] } }, 'assignee_id IN ("usr_1", "usr_2")'],
  [{ points: { gte: -1, lt: 5 }, urgent: { ne: true } }, 'points >= -1 AND points < 5 AND urgent != true'],
  [{ dueAt: { lt: new Date('2026-11-20T12:00:00Z') } }, 'due_at < "2026-11-20T12:00:00.000Z"'],
  [{ size: { gt: 9007199254740993n } }, 'size > 9007199254740993'],
  [{ labels: { has: 'x' }, kind: { isNull: true } }, 'labels : "x" AND kind = null'],
  [{ kind: { isNull: false } }, 'kind != null'],
  [{ name: { contains: 'b', endsWith: 'c' } }, 'contains(name, "b") AND endsWith(name, "c")'],
  [{ assignee: { name: { startsWith: 'A' } } }, '(startsWith(assignee.name, "A"))'],
  [{ assignee: { not: { name: { eq: 'A' } } } }, '(NOT (assignee.name = "A"))'],
  [{ parent: { below: 'tic_x' } }, 'below(parent, "tic_x")'],
  [{ parent: { below: 'tic_x', title: { eq: 'A' } } }, 'below(parent, "tic_x") AND (parent.title = "A")'],
  [{ ticket: { parent: { below: 'tic_x' } } }, '(below(ticket.parent, "tic_x"))'],
  [{ messages: { some: { author: { name: { eq: 'A' } } } } }, 'some(messages, (author.name = "A"))'],
  [{ owner: { owned: { none: { title: { eq: 'A' } } } } }, '(none(owner.owned, title = "A"))'],
  [{ or: [{ points: { eq: 1 } }, { and: [{ points: { gt: 2 } }] }] }, '((points = 1) OR (((points > 2))))'],
  [{ title: undefined, points: { eq: 1, gt: undefined } }, 'points = 1'],
  // What asks for nothing is nothing that REST takes for a condition.
  [{}, ''],
  [{ or: [] }, '()'],
  [{ or: [{}] }, '(())'],
]
for (const [tree, text] of cases) test(`${text} is what is sent`, () => assert.equal(printWhere(tree), text))

test('a write takes no condition with a hole in it', () => {
  assert.equal(printCertainWhere({ points: { eq: 1 }, kind: { isNull: true } }), 'points = 1 AND kind = null')
  assert.equal(printCertainWhere('points = 1'), 'points = 1')
  for (const [where, path] of [
    [undefined, 'where'],
    [{ points: { eq: 1 }, ownerId: undefined }, 'where.ownerId'],
    [{ points: { eq: 1, gt: undefined } }, 'where.points.gt'],
    [
      { or: [{ points: { eq: 1 } }, { assignee: { name: { in: ['A', undefined] } } }] },
      'where.or.1.assignee.name.in.1',
    ],
  ] as const)
    assert.throws(
      () => printCertainWhere(where),
      (error: unknown) => error instanceof DuetError && error.message === `${path} is undefined.`,
    )
})
