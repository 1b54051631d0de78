import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMoreSeen, maskOf } from './mask.ts'

const parts = (count: number, ...seen: readonly number[]) =>
  Array.from({ length: count }, (_, part) => seen.includes(part))

test('each part has its own bit, however many there are', () => {
  for (const count of [1, 30, 31, 32, 33, 64, 100]) {
    const masks = [maskOf(parts(count), []), ...parts(count).map((_, part) => maskOf(parts(count, part), []))]
    assert.equal(new Set(masks).size, count + 1, `${count} parts`)
    for (const mask of masks) assert.match(`${mask}`, /^\d+$/, `${count} parts`)
  }
})

test('what stands in the row is read from the row', () => {
  assert.equal(maskOf([true, 1, 0], [0, 1]), 0b011)
  assert.equal(maskOf([...parts(31), 1, 0], [false, true]), `${'0'.repeat(31)}10`)
})

test('more is seen where a part is seen that was not', () => {
  for (const count of [31, 32, 40]) {
    const [none, first, last] = [parts(count), parts(count, 0), parts(count, count - 1)].map((each) => maskOf(each, []))
    assert.ok(isMoreSeen(last!, first!))
    assert.ok(isMoreSeen(first!, last!))
    assert.ok(isMoreSeen(last!, none!))
    assert.ok(!isMoreSeen(none!, last!))
    assert.ok(!isMoreSeen(last!, last!))
  }
  assert.ok(isMoreSeen(0, '0'.repeat(32)))
  assert.ok(isMoreSeen('0'.repeat(32), 0))
})
