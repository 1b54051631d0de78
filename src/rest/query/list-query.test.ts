import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { acceptList } from '../../action/question/read.ts'
import { createRootCache } from '../../action/root-cache.ts'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { type Actor, noCredential } from '../../resource/actor.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { sqliteDialect } from '../../store/sql/text/dialect.ts'
import { compileRoutes, findAddress, type ResourceEndpoint } from '../route/routes.ts'
import { createListQuery, createParsedQueries, type ListQueryDependencies } from './list-query.ts'

const model = compileModel(api)
const listAt = (path: string, of = model) =>
  findAddress(path, compileRoutes(of))!.address.endpoints.get('GET') as ResourceEndpoint

type Sizes = Pick<Limits, 'plans' | 'planBytes' | 'queryStrings' | 'queryStringBytes'>
function listQuery(path: string, sizes: Partial<Sizes> = {}) {
  return reader(listAt(path), { ...defaultLimits, ...sizes })
}
/** Reads a query string, and accepts what it asks for as the runner does. */
function reader(endpoint: ResourceEndpoint, sizes: Sizes) {
  const caches = {
    roots: createRootCache(sizes),
    parsedQueries: createParsedQueries(sizes),
  }
  const dependencies: ListQueryDependencies = { limits: defaultLimits, dialect: sqliteDialect, ...caches }
  const readList = createListQuery(endpoint, dependencies)
  const { vocabulary } = endpoint.version
  return {
    read(text: string, actor: Actor | null, holderId: string | null) {
      const { input, page } = readList(text, actor, holderId)
      return { ...acceptList(input, { resource: endpoint.resource, actor, vocabulary }), page }
    },
  }
}
const actor = (role: string): Actor => ({
  id: 'usr_1',
  role,
  permissions: model.roles.get(role)!,
  scopes: null,
  credential: noCredential,
})

/** Every problem as `field message`, or the code where it is not about form. */
function problemsOf(path: string, query: string, who: Actor | null = null): readonly string[] {
  try {
    listQuery(path).read(query, who, null)
    return []
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.code === 'VALIDATION_ERROR'
      ? error.details!.map(({ field, message }) => `${field} ${message}`)
      : [error.code]
  }
}

describe('refuses (contract 4.3, 4.4)', () => {
  const rows: readonly (readonly [query: string, problems: readonly string[]])[] = [
    ['page=0', ['page At least 1.']],
    ['page=-1', ['page At least 1.']],
    ['page=00', ['page At least 1.']],
    ['page=01', ['page Must be a whole number.']],
    ['page=1.0', ['page Must be a whole number.']],
    ['page=1e1', ['page Must be a whole number.']],
    ['page=%D9%A1', ['page Must be a whole number.']],
    ['page=', ['page Must not be empty.']],
    ['per_page=0', ['per_page At least 1.']],
    ['per_page=101', ['per_page At most 100.']],
    ['limit=101', ['limit At most 100.']],
    [`limit=${'9'.repeat(400)}`, ['limit At most 100.']],
    ['limit=5&per_page=5', ['limit Cannot be combined with per_page.']],
    ['page=1&cursor=x', ['cursor Cannot be combined with page.']],
    ['page=502', ['page The last page of this size is 501; use a cursor to go further.']],
    ['page=102&per_page=100', ['page The last page of this size is 101; use a cursor to go further.']],
    [`page=${'9'.repeat(400)}&limit=3`, ['page The last page of this size is 3334; use a cursor to go further.']],
    ['cursor=abc', ['cursor Is not a cursor of this service.']],
    ['cursor=%00', ['cursor Must not contain NUL.']],
    ['sort=content', ['sort Cannot sort by content; only by created_at, published_at, title, author.name.']],
    ['sort=createdAt', ['sort Cannot sort by createdAt; only by created_at, published_at, title, author.name.']],
    ['sort=title,-title', ['sort Names title twice.']],
    ['sort=title,', ['sort Must be names of fields with commas between them.']],
    ['sort=-', ['sort Must be names of fields with commas between them.']],
    ['sort=%2Btitle', ['sort Cannot sort by +title; only by created_at, published_at, title, author.name.']],
    ['fields=id,nope', ['fields There is no field nope in posts.']],
    ['fields=id,id', ['fields Names id twice.']],
    ['fields=author', ['fields There is no field author in posts.']],
    ['fields=comments', ['fields There is no field comments in posts.']],
    ['author_id=', ['author_id Must not be empty.']],
    ['author_id=usr_1&author_id=usr_2', ['author_id Is given twice.']],
    ['published=1', ['published Must be true or false.']],
    ['published=TRUE', ['published Must be true or false.']],
    ['title=x', ['title There is no such parameter here.']],
    ['author=usr_1', ['author There is no such parameter here.']],
    ['tag[]=x', ['tag[] There is no such parameter here.']],
    [`tag=${'x'.repeat(31)}`, ['tag At most 30 characters.']],
    [
      'foo=1&page=-1&sort=zip&fields=zap&published=x&limit=1&per_page=1&cursor=1',
      [
        'foo There is no such parameter here.',
        'published Must be true or false.',
        'sort Cannot sort by zip; only by created_at, published_at, title, author.name.',
        'fields There is no field zap in posts.',
        'cursor Cannot be combined with page.',
        'limit Cannot be combined with per_page.',
        'page At least 1.',
      ],
    ],
    ['foo=1&cursor=abc', ['foo There is no such parameter here.', 'cursor Is not a cursor of this service.']],
  ]
  for (const [query, problems] of rows) {
    test(`?${query.slice(0, 80)}`, () => assert.deepEqual(problemsOf('/api/v2/posts', query), problems))
  }

  test('a filter of the wrong type, by the field it is about', () => {
    assert.deepEqual(problemsOf('/api/v2/products', 'min_price=1x&max_price=-1'), [
      'min_price Must be a whole number.',
      'max_price At least 0.',
    ])
    assert.deepEqual(problemsOf('/api/v2/products', 'min_price=2147483648'), ['min_price At most 2147483647.'])
    assert.deepEqual(problemsOf('/api/v2/articles', 'status=DRAFT'), [
      'status Must be one of draft, in_review, published, archived.',
    ])
  })

  test('a filter without its permission, before anything about form', () => {
    assert.deepEqual(problemsOf('/api/v2/users', 'status=nope&foo=1'), ['UNAUTHENTICATED'])
    assert.deepEqual(problemsOf('/api/v2/users', 'role=&foo=1', actor('VIEWER')), ['FORBIDDEN'])
    assert.deepEqual(problemsOf('/api/v2/users', 'status=ACTIVE', actor('ADMIN')), [])
  })

  test('filtering by what the caller may not read', () => {
    const guarded = compileModel(api)
    const post = guarded.byName.get('Post')!
    const { protect } = guarded.byName.get('User')!
    ;(post.protect as Map<string, object>).set('tags', protect.get('email')!)
    const endpoint = listAt('/api/v2/posts', guarded)
    assert.throws(() => reader(endpoint, defaultLimits).read('tag=x', actor('VIEWER'), null), {
      details: [{ field: 'tag', message: 'You may not read tags of every record in this list.' }],
    })
  })
})

test('names follow the version', () => {
  assert.deepEqual(problemsOf('/api/v1/comments', 'fields=text'), [])
  assert.deepEqual(problemsOf('/api/v1/comments', 'fields=content'), ['fields There is no field content in comments.'])
  assert.deepEqual(problemsOf('/api/v2/comments', 'fields=text'), ['fields There is no field text in comments.'])
})

test('page and size', () => {
  const { read } = listQuery('/api/v2/posts')
  const request = (query: string) => {
    const { page, list } = read(query, null, null)
    return [page.mode, list.size, list.offset]
  }
  assert.deepEqual(request(''), ['offset', 20, 0])
  assert.deepEqual(request('per_page=7'), ['offset', 7, 0])
  assert.deepEqual(request('page=3'), ['offset', 20, 40])
  assert.deepEqual(request('page=3&limit=7'), ['offset', 7, 14])
  assert.deepEqual(request('page=3&per_page=100'), ['offset', 100, 200])
  assert.deepEqual(request('page=101&per_page=100'), ['offset', 100, 10_000])
  assert.deepEqual(request('limit=7'), ['cursor', 7, 0])
})

test('the same question has the same root, whatever the order of fields and the values of filters', () => {
  const { read } = listQuery('/api/v2/posts')
  const { root } = read('fields=id,title&tag=a&author_id=b', null, null)
  assert.equal(read('author_id=c&fields=title,id&tag=d', null, null).root, root)
  assert.equal(read('author_id=c&fields=title,id&tag=d&page=2&per_page=3', null, null).root, root)
  assert.notEqual(read('author_id=c&fields=title,id&tag=d&limit=3', null, null).root, root)
  assert.notEqual(read('author_id=c&fields=title&tag=d', null, null).root, root)
  assert.notEqual(read('published=true', null, null).root, read('published=false', null, null).root)
})

test('a query string is read once, and the permission is checked each time', () => {
  const { read } = listQuery('/api/v2/users')
  const query = 'status=ACTIVE&page=2&per_page=7'
  const { root, list } = read(query, actor('ADMIN'), null)
  assert.deepEqual([list.size, list.offset, list.filter], [7, 7, ['ACTIVE']])
  const again = read(query, actor('ADMIN'), null)
  assert.equal(again.root, root)
  assert.equal(again.list.filter, list.filter)
  assert.throws(() => read(query, actor('VIEWER'), null), { code: 'FORBIDDEN' })
  assert.throws(() => read(query, null, null), { code: 'UNAUTHENTICATED' })
})

test('query strings are kept up to so many bytes, long conditions too', () => {
  const long = `where=${encodeURIComponent(`title IN (${Array.from({ length: 50 }, (_, at) => `"${at}"`).join()})`)}`
  const valuesOf = (read: ReturnType<typeof listQuery>['read']) => read(long, null, null).list.where
  const { read } = listQuery('/api/v2/posts')
  assert.equal(valuesOf(read), valuesOf(read))
  const small = listQuery('/api/v2/posts', { queryStringBytes: 1_000 })
  assert.notEqual(valuesOf(small.read), valuesOf(small.read))
})

test('roots are kept up to a number, and the least recently used goes', () => {
  const { read } = listQuery('/api/v2/posts', { plans: 2, queryStrings: 0 })
  const root = (query: string) => read(query, null, null).root
  const first = root('fields=id')
  const second = root('fields=title')
  assert.equal(root('fields=id'), first)
  root('fields=content')
  assert.equal(root('fields=id'), first)
  assert.notEqual(root('fields=title'), second)
})
