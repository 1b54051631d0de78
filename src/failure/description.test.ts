import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure } from './description.ts'
import { type Detail, Failure, type FailureCode } from './failure.ts'

const described = (code: FailureCode, details?: readonly Detail[], target?: number) =>
  describeFailure(
    new Failure(code, { message: 'Whole.', ...(details && { details }), ...(target === undefined ? {} : { target }) }),
  )
const title = { field: 'title', message: 'No.' }
const body = { field: 'body', message: 'Nor this.' }

test('the only problem of a request is its sentence, after the name of its field', () => {
  assert.deepEqual(described('VALIDATION_ERROR', [title]), { message: 'title: No.', details: [title] })
})

test('a problem that many records share is still one', () => {
  const shared = [title, { ...title, target: 0 }, { ...title, target: 1 }]
  assert.deepEqual(described('VALIDATION_ERROR', shared), { message: 'title: No.', details: [title] })
})

test('a field whose name no sentence could hold is in the details alone', () => {
  const [most, more] = [200, 201].map((length) => ({ field: 'x'.repeat(length), message: 'No.' }))
  assert.equal(described('VALIDATION_ERROR', [most!]).message, `${most!.field}: No.`)
  assert.deepEqual(described('VALIDATION_ERROR', [more!]), { message: 'Whole.', details: [more] })
})

test('of several problems none is the sentence', () => {
  assert.deepEqual(described('VALIDATION_ERROR', [title, body]), { message: 'Whole.', details: [title, body] })
})

test('a failure that is not about form has a sentence of its own', () => {
  assert.deepEqual(described('CONFLICT', [title]), { message: 'Whole.', details: [title] })
})

test('what is about the whole of one record is the sentence itself', () => {
  assert.deepEqual(described('VALIDATION_ERROR', [{ field: '', message: 'No.' }]), { message: 'No.', details: [] })
  assert.deepEqual(described('BUSINESS_RULE_VIOLATION', undefined, 0), { message: 'Whole.', details: [] })
  assert.deepEqual(described('CONFLICT'), { message: 'Whole.', details: [] })
})

test('an answer reports at most a thousand of them', () => {
  const details = Array.from({ length: 1_001 }, (_, index) => ({ field: `f${index}`, message: 'No.' }))
  assert.equal(described('VALIDATION_ERROR', details).details.length, 1_000)
})
