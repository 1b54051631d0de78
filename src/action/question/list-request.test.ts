import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import type { Detail } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import { cursorAt } from '../../read-plan/cursor.ts'
import { sortKey } from '../../read-plan/selection.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { SortModel } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { sqliteDialect } from '../../store/sql/text/dialect.ts'
import type { PageRequest } from './list-page.ts'
import { type ListQuestion, ListRequest } from './list-request.ts'
import { readNarrowing } from './parameter/narrowing.ts'

const model = compileModel(api)
const resource = model.byName.get('Post')!
const context = { limits: defaultLimits, dialect: sqliteDialect, vocabulary: asDefined }
const names = { list: ['test', 'posts'], args: [] }
const firstPage = { by: 'offset', size: 20, offset: 0, hasOffset: true } as const
const cursorPage = (
  cursor: string | null,
  other: Partial<Extract<PageRequest, { by: 'cursor' }>> = {},
): PageRequest => ({
  by: 'cursor',
  size: 20,
  cursor,
  parameter: 'after',
  isEnd: false,
  backward: false,
  ...other,
})
const request = (question: Partial<ListQuestion> = {}) =>
  new ListRequest(
    { resource, ...narrowed({}), sort: null, page: firstPage, args: null, isSound: true, ...question },
    context,
  )
function bind(question: Partial<ListQuestion> = {}) {
  const problems: Detail[] = []
  return {
    ...request(question).bind(null, names, problems),
    problems: problems.map((each) => Object.values(each).join(' ')),
  }
}
const narrowed = (filter: Readonly<Record<string, unknown>>, of = resource) =>
  readNarrowing((name) => (name === 'filter' ? filter : undefined), { resource: of }, { ...context, form: 'typed' }, [])

describe('the shape of a list and its key', () => {
  test('the usual order is newest first, and ends with the id', () => {
    assert.deepEqual(
      bind().shape.sort.map(({ column, descending }) => [column.field, descending]),
      [
        ['createdAt', true],
        ['id', true],
      ],
    )
  })
  test('values of filters are bound, not part of the key; whether a field is present is part of it', () => {
    const [one, other] = [bind(narrowed({ tag: 'a' })), bind(narrowed({ tag: 'b' }))]
    assert.equal(one.key, other.key)
    assert.deepEqual([one.list.filter, other.list.filter], [['a'], ['b']])
    const [yes, no] = [true, false].map((value) => bind(narrowed({ published: value })))
    assert.notEqual(yes!.key, no!.key)
    assert.deepEqual(yes!.list.filter, [null])
  })
  test('pages that no cursor begins share one shape, for every caller', () => {
    const one = request()
    assert.equal(one.bind(null, names, []).shape, one.bind(null, names, []).shape)
  })
})

describe('cursors', () => {
  const { binding } = bind({ page: cursorPage(null) }).list
  const values = ['2026-01-01T00:00:00.000Z', 'post_1'].map((text, index) =>
    sqliteDialect.encode(index === 0 ? new Date(text) : text, index === 0 ? 'timestamp' : 'text'),
  )
  const { sort } = bind().shape
  const cursor = (direction: 'next' | 'previous' | 'either' | 'previousFrom') =>
    cursorAt(binding!, direction, values, { sort, dialect: sqliteDialect })

  const ways: readonly (readonly [it: string, page: PageRequest, seeks: boolean, reads: boolean])[] = [
    ['next', cursorPage(cursor('next')), false, false],
    ['previous', cursorPage(cursor('previous')), true, true],
    ['previousFrom', cursorPage(cursor('previousFrom')), true, true],
    ['either, as the beginning', cursorPage(cursor('either')), false, false],
    ['either, as the end', cursorPage(cursor('either'), { isEnd: true }), true, false],
    ['either, from the end of the list', cursorPage(cursor('either'), { backward: true }), false, true],
  ]
  for (const [it, page, seeks, reads] of ways) {
    test(it, () => {
      const { shape, list, problems } = bind({ page })
      assert.deepEqual(problems, [])
      assert.deepEqual([shape.seek?.backward, shape.backward], [seeks, reads])
      assert.deepEqual(list.cursor, values)
    })
  }
  test('one that includes its record has a shape of its own', () => {
    assert.notEqual(
      bind({ page: cursorPage(cursor('previousFrom')) }).key,
      bind({ page: cursorPage(cursor('previous')) }).key,
    )
  })
  test('one of another list is refused under the name of its parameter', () => {
    const page = cursorPage(cursor('next'), { parameter: 'before' })
    const { problems, list } = bind({ page, ...narrowed({ tag: 'a' }) })
    assert.deepEqual(problems, ['before Belongs to another list; repeat the sort and filters it came with.'])
    assert.equal(list.cursor, null)
  })
  test('where the list itself has problems, nothing is said of its cursor', () => {
    assert.deepEqual(bind({ page: cursorPage('nonsense'), isSound: false }).problems, [])
    assert.deepEqual(bind({ page: cursorPage('nonsense') }).problems, ['after Is not a cursor of this service.'])
  })
})

test('what the caller may not read of every record narrows no list; what no caller may read orders none (contract 12.2.3)', () => {
  const guarded = compileModel(api).byName.get('Post')!
  const rule = { rule: 'own', relation: 'author' }
  ;(guarded.protect as Map<string, object>).set('author', { read: rule })
  const title = { ...guarded.sorts.get('title')!, isHideable: true, isHidden: true }
  const filters = narrowed({ author: 'usr_1' }, guarded)
  const problemsOf = (by: SortModel) => {
    const problems: Detail[] = []
    request({ resource: guarded, sort: [sortKey(by, false)], ...filters }).bind(null, names, problems)
    return problems
  }
  const hidden = { field: 'filter.author', message: 'You may not read author of every record in this list.' }
  assert.deepEqual(problemsOf({ ...title, isHidden: false }), [hidden])
  assert.deepEqual(problemsOf(title), [hidden, { field: 'sort', message: 'No caller may read title.' }])
})
