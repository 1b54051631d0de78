import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatherUses } from './gather.ts'
import { createTally } from './tally.ts'
import { readClientName } from './usage.ts'

test('uses are counted apart by thing, principal, client and day', () => {
  const tally = createTally(10)
  const use = { what: 'v1', principal: 'usr_1', client: 'web', day: '2026-11-20' }
  tally.add(use)
  tally.add(use)
  for (const other of [{ what: 'v2' }, { principal: 'usr_2' }, { client: 'app' }, { day: '2026-11-21' }]) {
    tally.add({ ...use, ...other })
  }
  assert.equal(tally.size, 5)
  assert.deepEqual(tally.take()[0], { ...use, count: 2 })
  assert.equal(tally.size, 0)
})

test('where there are too many clients, the rest are counted together, and none is lost', () => {
  const tally = createTally(3)
  for (let number = 0; number < 1000; number++) {
    tally.add({ what: 'v1', principal: `usr_${number}`, client: 'web', day: '2026-11-20' })
  }
  const counts = tally.take()
  assert.deepEqual(
    counts.map(({ principal, count }) => [principal, count]),
    [
      ['usr_0', 1],
      ['usr_1', 1],
      ['usr_2', 1],
      ['others', 997],
    ],
  )
})

test('a client is called what it says, if that is a name', () => {
  for (const name of ['web', 'My App/2.1 (beta)'.replace(/[()]/g, ''), 'a', 'x'.repeat(64)])
    assert.equal(readClientName(name), name)
  for (const name of [undefined, '', ' web', 'x'.repeat(65), 'wéb', 'a\tb', '<script>', ['a', 'b']]) {
    assert.equal(readClientName(name), 'unknown')
  }
})

test('what is known of a thing is gathered from all who used it', () => {
  const row = { what: 'v1', principal: 'usr_1', client: 'web', firstDay: '2026-09-02', lastDay: '2026-11-02', count: 2 }
  const old = { ...row, principal: 'usr_2', firstDay: '2026-08-02', lastDay: '2026-08-03', count: 9 }
  const beginning = { ...row, principal: 'none', client: 'none', firstDay: '2026-08-01', lastDay: null, count: 0 }
  const gathered = gatherUses([row, old, beginning], '2026-09-01')
  assert.deepEqual(gathered.get('v1'), { countedSince: '2026-08-01', lastUsed: '2026-11-02', clients: [row] })
})
