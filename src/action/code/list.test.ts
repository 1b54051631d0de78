import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import type { Actor } from '../../resource/actor.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { asDefined, restVocabulary } from '../../resource/model/vocabulary.ts'
import { sqliteDialect } from '../../store/sql/text/dialect.ts'
import type { CodeList } from '../code-face.ts'
import { acceptList } from '../question/read.ts'
import { makeSelection } from '../record-selection.ts'
import { createRootCache } from '../root-cache.ts'
import { createListReader } from './list.ts'

const model = compileModel(api)
const dependencies = {
  dialect: sqliteDialect,
  limits: defaultLimits,
  roots: createRootCache(defaultLimits),
  textVocabulary: restVocabulary(model.versions.at(-1)!),
}

/** Reads a list, and accepts what it asks for as the runner does. */
function read(of: string, which: CodeList, actor: Actor | null = null) {
  const resource = model.byName.get(of)!
  const reader = createListReader(resource, makeSelection(resource, asDefined), dependencies)
  return acceptList(reader.read(which, actor), { resource, actor, vocabulary: asDefined })
}
function problemsOf(of: string, which: CodeList): readonly string[] {
  try {
    read(of, which)
    return []
  } catch (error) {
    // What the code itself names wrongly is a bug. (contract 13.3.11)
    if (!(error instanceof Failure)) return [`bug: ${(error as Error).message.split('take. ')[1]}`]
    return error.details?.map(({ field, message }) => `${field} ${message}`) ?? [error.code]
  }
}

const far = 'page The last page of this size is 101; use a cursor to go further.'
const refused: readonly (readonly [of: string, which: CodeList, problems: readonly string[]])[] = [
  ['Post', { page: 0 }, ['bug: page: At least 1.']],
  ['Post', { page: 1.5 }, ['bug: page: Must be a whole number.']],
  ['Post', { page: Number.NaN }, ['bug: page: Must be a whole number.']],
  ['Post', { page: 101, limit: 100 }, []],
  ['Post', { page: 102, limit: 100 }, [far]],
  ['Post', { limit: 0 }, ['bug: limit: At least 1.']],
  ['Post', { limit: 101 }, ['bug: limit: At most 100.']],
  [
    'Post',
    { sort: ['content'] },
    ['bug: sort: Cannot sort by content; only by createdAt, publishedAt, title, author.name.'],
  ],
  ['Post', { sort: ['title', '-title'] }, ['bug: sort: Names title twice.']],
  ['Post', { filter: { colour: 'red' } }, ['bug: colour: There is no such filter.']],
  ['Post', { filter: { published: 'maybe' } }, ['published Must be true or false.']],
  ['Post', { filter: { tag: '' } }, ['tag Must not be empty.']],
  ['Post', { filter: { tag: 'a\0' } }, ['tag Must not contain NUL.']],
  [
    'Product',
    { filter: { minPrice: 1.5, maxPrice: -1 } },
    ['minPrice Must be a whole number.', 'maxPrice At least 0.'],
  ],
  ['Product', { filter: { minPrice: Number.POSITIVE_INFINITY } }, ['minPrice Must be a whole number.']],
  ['User', { filter: { status: 'nonsense' } }, ['UNAUTHENTICATED']],
]
for (const [of, which, problems] of refused) {
  test(`a page of ${of} where ${JSON.stringify(which)}`, () => assert.deepEqual(problemsOf(of, which), problems))
}

test('an absent value filters nothing, and a value is bound as its field holds it', () => {
  assert.deepEqual(read('Post', { filter: { tag: undefined } }).list.filter, [])
  assert.deepEqual(read('Product', { filter: { minPrice: 5 } }).list.filter, [5])
  assert.deepEqual(read('Product', { filter: { minPrice: '5' } }).list.filter, [5])
})

test('the same question has the same root, whatever its page, and no total is counted', () => {
  const { root, list } = read('Post', { filter: { tag: 'a' }, page: 3, limit: 7 })
  assert.deepEqual([list.size, list.offset, root.total], [7, 14, false])
  assert.equal(read('Post', { filter: { tag: 'b' } }).root, root)
  assert.notEqual(read('Post', { filter: { tag: 'b' }, sort: ['title'] }).root, root)
})
