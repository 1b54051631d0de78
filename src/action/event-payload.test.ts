// The text of an event, of what was read of its record.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { eventPayload } from './event-payload.ts'

const event = { name: 'postCreated', at: new Date(0) }
const answer = { version: 1, mask: 0, errors: [] }

test('an event is its name, its moment and its record', () => {
  const json = '{"data":{"id":"post_1"},"previous_attributes":{"title":"A"}}'
  assert.deepEqual(JSON.parse(eventPayload(event, { ...answer, json })), {
    type: 'postCreated',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: { id: 'post_1' },
    previous_attributes: { title: 'A' },
  })
})

test('the reason is in the place of a record that cannot be read', () => {
  const refusal = new Failure('QUERY_TOO_COMPLEX', { message: 'Too large.' })
  const { data, error } = JSON.parse(eventPayload(event, { ...answer, json: null, refusal }))
  assert.deepEqual([data, error], [undefined, { code: 'QUERY_TOO_COMPLEX', message: 'Too large.' }])
  const failed = { ...answer, json: null, errors: [{ code: 'INTERNAL_ERROR' as const, path: [] }] }
  assert.equal(JSON.parse(eventPayload(event, failed)).error.code, 'INTERNAL_ERROR')
})
