// What is put into the texts that the database made.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { select } from '../../../test/support/rows/selection.ts'
import { SharedRoom } from '../../budget/answer-room.ts'
import { AnswerSize, unlimitedSize } from '../../budget/answer-size.ts'
import { Failure } from '../../failure/failure.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { type PartPlan, plainPlan, type RecordPlan } from '../plain-plan.ts'
import type { Print } from '../printing.ts'
import { recordTextSql, textByParent, textPrinter } from './json-text.ts'

const comment = compileModel(api).byName.get('Comment')!
/** A comment that says twice of which post it is. */
const { parts, ...rest } = plainPlan(select(comment, ['id', { post: ['title'] }, { post: ['id'] }]), null)
const record: RecordPlan = {
  ...rest,
  parts: parts.map((part): PartPlan => (part.kind === 'one' ? { ...part, from: 'parent' } : part)),
}

/** Prints a text of the list of `post_1`, whose post is printed as `posts`, one after the other. */
function print(text: string | undefined, posts: readonly Print[], size = unlimitedSize): string | null {
  const remaining = [...posts]
  const printer = textPrinter(record, 0, 1, () => ({ print: remaining.shift()!, fallible: false }))
  const texts = new Map(text === undefined ? [] : [['post_1', text]])
  return printer.print(['row', 'post_1'], { children: [texts], errors: [], path: [], size }, null)
}

test('the statement leaves a mark for each thing that is said of the parent', () => {
  const sql = recordTextSql(record, dialectOf('sqlite'))('t')
  assert.ok(sql.includes('"post":\u0001,"post":\u0002}'), sql)
  assert.ok(sql.includes('t."id"'), sql)
})

test('each mark becomes what is said of the parent, whatever characters that has', () => {
  const posts: readonly Print[] = [(row) => `"$& ${row[1]}"`, () => '"\\u0001"']
  assert.equal(
    print('{"a":\u0001,"b":\u0002},{"a":\u0001,"b":\u0002}', posts),
    '[{"a":"$& post_1","b":"\\u0001"},{"a":"$& post_1","b":"\\u0001"}]',
  )
})

test('no text is an empty list', () => {
  const row = () => 'never'
  assert.equal(print(undefined, [row, row]), '[]')
})

test('texts are found by the key whose place their rows say', () => {
  const texts = textByParent(
    [
      [1, 'b'],
      [0, null],
    ],
    ['x', 'y'],
  )
  assert.deepEqual([...texts], [['y', 'b']])
})

test('what it becomes counts before it is made', () => {
  const size = new AnswerSize({ answerBytes: 1_000, busyRetrySeconds: 1 }, new SharedRoom(10_000))
  const posts: readonly Print[] = [() => 'x'.repeat(400), () => '']
  assert.throws(() => print('\u0001,\u0001,\u0001', posts, size), Failure)
  assert.equal(size.failure?.code, 'QUERY_TOO_COMPLEX')
})
