// What a code says: its status and its sentence, for the catalogue's and for a service's own. (contract 7.1.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode, placeFailure, toOwnCode } from './failure.ts'

const sentenceOf = (code: FailureCode) => {
  const { status, message } = new Failure(code)
  return [status, message]
}

test('7.1.1, 7.1.2 a code of the service is 404, with a sentence made of it', () => {
  assert.deepEqual(sentenceOf(toOwnCode('COURSE_NOT_FOUND')), [404, 'There is no such course.'])
  assert.deepEqual(sentenceOf(toOwnCode('BLOG_POST_2_NOT_FOUND')), [404, 'There is no such blog post 2.'])
})

test('7.1.1, 7.1.2 one that does not end as NOT_FOUND does has the sentence of NOT_FOUND', () => {
  assert.deepEqual(sentenceOf(toOwnCode('NO_COURSE')), sentenceOf('NOT_FOUND'))
  assert.deepEqual(sentenceOf(toOwnCode('constructor')), sentenceOf('NOT_FOUND'))
})

test('a code of the catalogue has its own sentence, also where it ends like one of a service', () => {
  assert.deepEqual(sentenceOf('PERSISTED_QUERY_NOT_FOUND'), [400, 'PersistedQueryNotFound'])
})

test('a failure that is about other parts of the request keeps all else', () => {
  const options = {
    message: 'Not now.',
    cause: new Error('too slow'),
    retryAfterSeconds: 9,
    maxAgeSeconds: 300,
    headers: { Allow: 'GET' },
  }
  const places = { details: [{ field: 'lines[0]', message: 'Not now.' }], target: 2 }
  const failure = new Failure('UPSTREAM_TIMEOUT', { ...options, target: 1 })
  assert.deepEqual(placeFailure(failure, places), new Failure('UPSTREAM_TIMEOUT', { ...options, ...places }))
  assert.equal(placeFailure(failure, places).cause, options.cause)
})

test('what is unavailable is so for the whole request', () => {
  const failure = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
  assert.equal(placeFailure(failure, { details: undefined, target: 1 }), failure)
})
