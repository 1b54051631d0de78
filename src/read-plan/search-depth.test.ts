import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchSteps } from '../store/sql/newest-search.ts'
import { SearchDepth } from './search-depth.ts'

const dayMs = 86_400_000
const whole = { isExcluded: false, isSequence: false, mayGoOn: false, hasPart: false }
const open = { ...whole, mayGoOn: true }

test('begins with the shortest page of late, and goes on from there', () => {
  const depth = new SearchDepth()
  const add = (ms: number, times: number) => {
    for (let time = 0; time < times; time++) depth.add(ms)
  }
  const begins = (depthMs: number, why?: string) => {
    assert.deepEqual(depth.steps({ terms: [whole] }), searchSteps({ depthMs, isOpen: false }), why)
    assert.deepEqual(depth.steps({ terms: [whole, open] }), searchSteps({ depthMs, isOpen: true }), why)
  }
  begins(0)
  add(40 * dayMs, 255)
  begins(0, 'too few pages say so')
  add(50 * dayMs, 1)
  begins(40 * dayMs)
  add(dayMs, 1)
  begins(dayMs, 'one that ends earlier counts at once')
  add(40 * dayMs, 255)
  begins(dayMs)
  add(Number.POSITIVE_INFINITY, 256)
  begins(Number.POSITIVE_INFINITY)
})

const stepsOf = (depthMs: number, isOpen: boolean) =>
  searchSteps({ depthMs, isOpen }).map((text) => `${text}`.slice(1, -1).split(',').slice(1).map(Number))

test('steps reach at least as far back as is expected, with few spans each, and grow', () => {
  assert.deepEqual(stepsOf(Number.POSITIVE_INFINITY, false), [[], []])
  for (let exponent = 0; exponent < 36; exponent += 0.25) {
    const expected = 2 ** exponent
    const [bits, counts] = stepsOf(expected, false)
    // The span that a page begins in may be nearly over.
    const reaches = bits!.map((each, at) => (counts![at]! - 1) * 2 ** each)
    assert.ok(reaches[0]! >= expected && reaches[0]! <= Math.max(2 * expected, 2 ** 25), `${expected} ${reaches}`)
    assert.ok(counts!.every((each) => each >= 2 && each <= 6))
    assert.ok(reaches.every((each, at) => at === 0 || each >= 4 * reaches[at - 1]!))
    assert.ok(reaches.at(-1)! >= 2 ** 33)
    assert.deepEqual(stepsOf(expected, true), [bits!.slice(0, 1), counts!.slice(0, 1)])
  }
})
