import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { compileRoutes, findAddress } from './routes.ts'

const routes = compileRoutes(compileModel(api))
const id = 'post_01M7YR9JE7XW6097HDAT07PH2D'

const found: readonly (readonly [path: string, template: string, allow: string, id: string | null])[] = [
  ['/api/v1/posts', '/posts', 'GET, HEAD, POST, PATCH, DELETE, QUERY, OPTIONS', null],
  ['/api/v2/posts', '/posts', 'GET, HEAD, POST, PATCH, DELETE, QUERY, OPTIONS', null],
  ['/api/v2/users', '/users', 'GET, HEAD, POST, QUERY, OPTIONS', null],
  ['/api/v2/orders', '/orders', 'GET, HEAD, POST, QUERY, OPTIONS', null],
  [`/api/v2/posts/${id}`, '/posts/{id}', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', id],
  ['/api/v2/orders/x', '/orders/{id}', 'GET, HEAD, OPTIONS', 'x'],
  ['/api/v2/posts/batch', '/posts/batch', 'POST, OPTIONS', null],
  ['/api/v2/users/batch', '/users/{id}', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', 'batch'],
  ['/api/v2/users/me', '/users/{id}', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', 'me'],
  [`/api/v2/posts/${id}/comments`, '/posts/{id}/comments', 'GET, HEAD, QUERY, OPTIONS', id],
  [`/api/v2/posts/${id}/publish`, '/posts/{id}/publish', 'POST, OPTIONS', id],
  ['/api/v2/posts/batch/publish', '/posts/{id}/publish', 'POST, OPTIONS', 'batch'],
  ['/api/v2/users/me/followers', '/users/{id}/followers', 'GET, HEAD, QUERY, OPTIONS', 'me'],
  ['/api/v2/posts/%2e%2e', '/posts/{id}', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', '%2e%2e'],
]
for (const [path, template, allow, expectedId] of found) {
  test(`${path} is ${template}`, () => {
    const { address, id: foundId } = findAddress(path, routes)!
    assert.deepEqual([address.template, address.allow, foundId], [template, allow, expectedId])
  })
}

const nowhere = [
  '/',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/api/v3/posts',
  '/api/V1/posts',
  '/API/v1/posts',
  '//api/v1/posts',
  '/x/api/v1/posts',
  '/api/v1//posts',
  '/api/v1/posts/',
  '/api/v1/Posts',
  '/api/v1/post',
  '/api/v1/p%6Fsts',
  '/api/v1/posts;x=1',
  `/api/v1/posts/${id}/`,
  `/api/v1/posts//comments`,
  `/api/v1/posts/${id}/Comments`,
  `/api/v1/posts/${id}/author`,
  `/api/v1/posts/${id}/explode`,
  `/api/v1/posts/${id}/read`,
  `/api/v1/posts/${id}/create`,
  `/api/v1/posts/${id}/comments/`,
  `/api/v1/posts/${id}/comments/x`,
  '/api/v1/constructor',
  '/api/__proto__/posts',
]
for (const path of nowhere) {
  test(`${path} leads nowhere`, () => assert.equal(findAddress(path, routes), null))
}

test('an action that only effects make has no address', () => {
  const model = compileModel(api)
  const archive = model.byName.get('Article')!.actions.get('archive')!
  Object.assign(archive, { allow: { rule: 'nobody' } })
  assert.equal(findAddress('/api/v2/articles/art_1/archive', compileRoutes(model)), null)
})
