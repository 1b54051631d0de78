// What printers make of a row: JSON text, with what is hidden left out or refused, and null where it may go no further.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { select } from '../../test/support/rows/selection.ts'
import { SharedRoom } from '../budget/answer-room.ts'
import { AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import { Failure } from '../failure/failure.ts'
import { type Actor, noCredential } from '../resource/actor.ts'
import { compileModel } from '../resource/model/compile/compile-model.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { StoredRow } from '../store/store.ts'
import { Columns } from './columns.ts'
import { plainPlan, type RecordPlan } from './plain-plan.ts'
import { makePrinter, rowListPrinter } from './print.ts'
import type { ChildRows, Printing, ReferencePrinter } from './printing.ts'
import type { Part } from './selection.ts'

const model = compileModel(api)
const [user, post, comment] = ['User', 'Post', 'Comment'].map((name) => model.byName.get(name)!)
const dialect = dialectOf('sqlite')
const viewer: Actor = {
  id: 'usr_1',
  role: 'VIEWER',
  permissions: model.roles.get('VIEWER')!,
  scopes: null,
  credential: noCredential,
}

function printing(children: readonly ChildRows[] = [], size = unlimitedSize): Printing {
  return { children, errors: [], path: [], size }
}
const no = () => assert.fail('There is nothing below.')

/** Prints a row of a record that has no relations. */
function print(record: RecordPlan, row: StoredRow, state = printing()): string | null {
  const { print } = makePrinter(record, new Columns(0), { dialect, reference: no, list: no, links: no, self: no })
  return print(row, state, null)
}

test('parts stand in their order under their keys, as their types are written', () => {
  const record = plainPlan(select(post!, ['id', 'title', 'tags', 'publishedAt']), viewer)
  assert.equal(
    print(record, ['post_1', 'A "title"', '["one"]', null]),
    '{"id":"post_1","title":"A \\"title\\"","tags":["one"],"publishedAt":null}',
  )
})

test('nothing is an empty object', () => {
  assert.equal(print({ resource: post!, parts: [] }, []), '{}')
})

test('a field whose rule does not hold for a record is left out of it', () => {
  const record = plainPlan(select(user!, ['email', 'name'], 'omit'), viewer)
  assert.equal(print(record, ['a@example.com', 0, 'A']), '{"name":"A"}')
  assert.equal(print(record, ['a@example.com', 1, 'A']), '{"email":"a@example.com","name":"A"}')
})

test('or is refused: with null, where it may be null', () => {
  const selection = select(user!, ['email', 'name'])
  const parts = selection.parts.map((part): Part => (part.kind === 'field' ? { ...part, nullable: true } : part))
  const state = printing()
  assert.equal(
    print(plainPlan({ ...selection, parts }, viewer), ['a@example.com', 0, 'A'], state),
    '{"email":null,"name":"A"}',
  )
  assert.deepEqual(state.errors, [{ code: 'FORBIDDEN', path: ['email'] }])
})

test('and with the whole record, where it may not', () => {
  const state = printing()
  assert.equal(print(plainPlan(select(user!, ['email', 'name']), viewer), ['a@example.com', 0, 'A'], state), null)
  assert.deepEqual(state.errors, [{ code: 'FORBIDDEN', path: ['email'] }])
})

test('a reference is null without one, and refused where its record is missing', () => {
  const record = plainPlan(select(comment!, ['id', { post: ['title'] }]), viewer)
  const printOf = (target: StoredRow | null | undefined) => {
    const reference = (): ReferencePrinter => ({ rowOf: () => target, print: () => '"it"', fallible: false })
    const state = printing()
    const { print } = makePrinter(record, new Columns(0), { dialect, reference, list: no, links: no, self: no })
    return [print(['cmt_1'], state, null), state.errors]
  }
  assert.deepEqual(printOf([]), ['{"id":"cmt_1","post":"it"}', []])
  assert.deepEqual(printOf(null), ['{"id":"cmt_1","post":null}', []])
  assert.deepEqual(printOf(undefined), [null, [{ code: 'NOT_FOUND', path: ['post'] }]])
})

test("a list's records know the row that they are below, and errors where they stand", () => {
  const record = plainPlan(select(post!, ['id', { comments: ['content'] }]), viewer)
  const state = printing([new Map([['post_1', [['a'], ['b']]]])])
  const { print, fallible } = makePrinter(record, new Columns(0), {
    dialect,
    reference: no,
    links: no,
    self: no,
    list: () =>
      rowListPrinter(
        {
          fallible: true,
          print: (row, { errors, path }, parent) => {
            errors.push({ code: 'FORBIDDEN', path: [...path] })
            return JSON.stringify([row, parent])
          },
        },
        0,
        0,
      ),
  })
  const parent = { row: ['post_1'], parent: null }
  assert.equal(fallible, true)
  assert.equal(
    print(['post_1'], state, null),
    `{"id":"post_1","comments":[${JSON.stringify([['a'], parent])},${JSON.stringify([['b'], parent])}]}`,
  )
  assert.deepEqual(
    state.errors.map(({ path }) => path),
    [
      ['comments', 0],
      ['comments', 1],
    ],
  )
  assert.equal(print(['post_2'], state, null), '{"id":"post_2","comments":[]}')
})

test('what is printed counts while it is made', () => {
  const size = new AnswerSize({ answerBytes: 100, busyRetrySeconds: 1 }, new SharedRoom(1_000))
  const record = plainPlan(select(post!, ['title', 'content']), viewer)
  const state = printing([], size)
  assert.throws(() => print(record, ['x'.repeat(100), ''], state), Failure)
  assert.equal(size.failure?.code, 'QUERY_TOO_COMPLEX')
})
