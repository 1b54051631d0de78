import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import { runNow } from '../../store/program.ts'
import { bind, type Program, query } from '../../store/store.ts'
import { eachTargetInTurn } from './for-each-target.ts'

function failWith(failures: readonly (Failure | null)[]): void {
  const program = eachTargetInTurn(failures, function* (failure, index): Program<void> {
    tried.push(index)
    yield bind(query('select 1'))
    if (failure !== null) throw failure
  })
  runNow(program, () => [])
}
let tried: number[] = []

test('each target is tried, and the failures of the same code are reported together', () => {
  tried = []
  const failures = [null, new Failure('NOT_FOUND'), new Failure('CONFLICT'), new Failure('NOT_FOUND')]
  assert.throws(() => failWith(failures), {
    code: 'NOT_FOUND',
    target: 1,
    details: [1, 3].map((target) => ({ field: '', message: 'There is no such resource.', target })),
  })
  assert.deepEqual(tried, [0, 1, 2, 3])
})

test('a database that is unavailable is asked no more, and its failure is reported as it is', () => {
  tried = []
  const unavailable = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause: new Error('lock timeout') })
  assert.throws(
    () => failWith([new Failure('NOT_FOUND'), unavailable, null]),
    (error) => error === unavailable,
  )
  assert.deepEqual(tried, [0, 1])
})
