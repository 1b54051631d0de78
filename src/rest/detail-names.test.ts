import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure, type NameDetail } from '../failure/description.ts'
import { type Detail, Failure, type FailureCode } from '../failure/failure.ts'
import { ofId, ofMember } from './detail-names.ts'

function describe(name: NameDetail, code: FailureCode, details: readonly Detail[] | undefined, target?: number) {
  const options = { message: 'Whole.', ...(details && { details }), ...(target === undefined ? {} : { target }) }
  const { message, details: found } = describeFailure(new Failure(code, options), name)
  return [message, ...found.map((each) => `${each.field}: ${each.message}`)]
}
const first = { message: 'No.', target: 0 }
const third = { message: 'No.', target: 2 }

test('details of many new records name the place in their list', () => {
  const details = [
    { field: 'posts', message: 'No.' },
    { field: 'title', ...third },
    { field: '', ...first },
  ]
  assert.deepEqual(describe(ofMember('posts'), 'VALIDATION_ERROR', details), [
    'Whole.',
    'posts: No.',
    'posts[2].title: No.',
    'posts[0]: No.',
  ])
  assert.deepEqual(describe(ofMember('posts'), 'BUSINESS_RULE_VIOLATION', undefined, 2), ['Whole.', 'posts[2]: Whole.'])
})

test('details of many records changed alike name a field once, and a record by the place of its id', () => {
  const details = [
    { field: 'post_id', ...first },
    { field: 'post_id', ...third },
  ]
  assert.deepEqual(describe(ofId, 'BUSINESS_RULE_VIOLATION', details), ['Whole.', 'post_id: No.'])
  assert.deepEqual(describe(ofId, 'NOT_FOUND', [{ field: '', ...third }]), ['Whole.', 'ids[2]: No.'])
  assert.deepEqual(describe(ofId, 'VALIDATION_ERROR', [{ field: '', ...third }]), ['No.'])
})
