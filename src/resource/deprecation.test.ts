import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fifthMonth, removableAfter } from './deprecation.ts'

test('the fifth month begins four months later, on a day that there is', () => {
  assert.equal(fifthMonth('2026-01-15'), '2026-05-15')
  assert.equal(fifthMonth('2026-10-31'), '2027-02-28')
  assert.equal(fifthMonth('2027-10-31'), '2028-02-29')
  assert.equal(fifthMonth('2026-09-01'), '2027-01-01')
})

test('9.3.2 a part of the schema may go in the fifth month, after days without use; a version after its sunset', () => {
  const field = { since: '2026-01-15', sunset: null, use: 'content' }
  assert.equal(removableAfter(field, '2026-01-15', 90), '2026-05-15')
  assert.equal(removableAfter(field, '2026-04-01', 90), '2026-06-30')
  assert.equal(removableAfter({ ...field, sunset: '2027-01-15' }, '2027-01-14', 90), '2027-01-15')
})
