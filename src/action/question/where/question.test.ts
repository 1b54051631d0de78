// One question has one form, however it is written: its shape, its text, its values. (contract 12.1.11)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { desk } from '../../../../test/support/domain/desk.ts'
import type { Detail } from '../../../failure/failure.ts'
import { defaultLimits } from '../../../limits.ts'
import { compileModel } from '../../../resource/model/compile/compile-model.ts'
import { graphqlVocabulary, restVocabulary } from '../../../resource/model/vocabulary.ts'
import { sqliteDialect } from '../../../store/sql/text/dialect.ts'
import { endOf, type WhereQuestion } from './question.ts'
import { readWhere } from './read.ts'

const model = compileModel(desk)
const ticket = model.byName.get('Ticket')!
const context = {
  limits: defaultLimits,
  dialect: sqliteDialect,
  vocabulary: graphqlVocabulary(),
  textVocabulary: restVocabulary(model.versions.at(-1)!),
}

function read(sent: unknown): WhereQuestion {
  const problems: Detail[] = []
  const is = typeof sent === 'string' ? 'text' : 'tree'
  const question = readWhere({ is, sent, parameter: 'where' }, ticket, context, problems)
  assert.deepEqual(problems, [])
  return question!
}

describe('questions that are one', () => {
  const alike: readonly (readonly unknown[])[] = [
    ['title = "a" AND points = 1', 'points=1 AND title="a"', { points: { eq: 1 }, title: { eq: 'a' } }],
    ['title = "a" AND title = "a"', 'title = "a"', 'NOT NOT title = "a"', 'title IN ("a")', 'title IN ("a", "a")'],
    ['points IN (3, 1, 2)', 'points IN (1, 2, 3)', { points: { in: [2, 3, 1] } }],
    ['points = 1 OR (points = 2 OR points = 3)', 'points = 3 OR points = 2 OR points = 1'],
    ['title != "a"', 'NOT title = "a"', { not: { title: { eq: 'a' } } }],
    ['due_at < now - 1d', 'due_at < now - 24h'],
    [
      'due_at = "2026-11-20T12:00:00Z"',
      'due_at = "2026-11-20T13:00:00.000+01:00"',
      { dueAt: { eq: new Date('2026-11-20T12:00:00Z') } },
    ],
    ['messages.body : "x"', 'some(messages, body = "x")', { messages: { some: { body: { eq: 'x' } } } }],
    ['NOT assignee.name = "x"', 'assignee.name != "x"', { assignee: { not: { name: { eq: 'x' } } } }],
  ]
  for (const each of alike)
    test(String(each[0]), () => {
      const [first, ...others] = each.map(read)
      for (const other of others) {
        assert.equal(other.text, first!.text)
        assert.equal(other.shape, first!.shape)
        assert.deepEqual(other.values, first!.values)
      }
    })
})

test('questions that differ in values alone have one shape, whatever the length of a list', () => {
  const pairs = [
    ['title = "a" AND points = 1', 'title = "b" AND points = 2'],
    ['points IN (1, 2)', 'points IN (1, 2, 3, 4)'],
    ['due_at < now - 1d', 'due_at < now'],
    ['due_at < now', 'due_at < "2026-11-20T12:00:00Z"'],
  ] as const
  for (const [one, other] of pairs) {
    assert.equal(read(one).shape, read(other).shape)
    assert.notEqual(read(one).text, read(other).text)
  }
})

test('questions that differ otherwise have other shapes', () => {
  const texts = [
    'points = 1',
    'points != 1',
    'points < 1',
    'points <= 1',
    'points = null',
    'points IN (1, 2)',
    'title = "a"',
    'assignee.name = "a"',
    'owner.name = "a"',
    'owner = me',
    'owner = "usr_x"',
    'assignee.name = me.name',
    'some(messages, body = "a")',
    'none(messages, body = "a")',
    'some(tags, name = "a")',
    'points = 1 AND title = "a"',
    'points = 1 OR title = "a"',
  ]
  assert.equal(new Set(texts.map((each) => read(each).shape)).size, texts.length)
})

test('a test costs a point, and ten through a list', () => {
  assert.equal(read('points = 1 AND title = "a"').points, 2)
  assert.equal(read('points = 1 AND messages.body : "a" AND some(tags, name = "a")').points, 21)
})

test('the end of a beginning is the next text that does not begin so', () => {
  assert.equal(endOf('ab', 10), 'ac')
  assert.equal(endOf('a\ud7ff', 10), 'a\ue000')
  assert.equal(endOf('a\u{10ffff}', 10), 'b')
  assert.equal(endOf('\u{10ffff}', 2), '\u{10ffff}\u{10ffff}\u{10ffff}')
})
