import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breaks, type Change } from './change.ts'
import { type Evidence, judgeRemoval, type Uses } from './removal.ts'
import type { Deprecation } from './snapshot.ts'

const field: Deprecation = { what: 'Comment.text', since: '2026-01-15', sunset: null, use: 'content' }
const version: Deprecation = { what: 'v1', since: '2026-01-15', sunset: '2027-01-15', use: 'v2' }
const gone = (removed: string, more: object = {}): Change => ({
  where: removed,
  what: 'It was removed.',
  ...breaks('Why.', 'Remedy.'),
  removed,
  ...more,
})
const uses = (more: Partial<Uses> = {}): Evidence['uses'] =>
  new Map([['Comment.text', { countedSince: '2026-01-15', lastUsed: null, clients: [], ...more }]])
const on = (today: string, recordedUses: Evidence['uses'] = uses()): Evidence => ({
  today,
  quietDays: 90,
  uses: recordedUses,
})
const judged = (evidence: Evidence, deprecation: Deprecation | undefined = field) =>
  judgeRemoval(gone(deprecation?.what ?? 'Post.title'), deprecation, evidence)

describe('9.3.2 a deprecated field of GraphQL may go', () => {
  test('in the fifth month, not a day before', () => {
    assert.equal(judged(on('2026-05-15')).verdict, 'additive')
    const { verdict, why, remedy } = judged(on('2026-05-14'))
    assert.equal(verdict, 'breaking')
    assert.match(`${why} ${remedy}`, /fifth month begins on 2026-05-15\. Keep it until 2026-05-15\./)
  })
  test('after ninety days without use, not a day before', () => {
    const used = uses({ lastUsed: '2026-05-01', clients: ['usr_1 (app)'] })
    assert.equal(judged(on('2026-07-30', used)).verdict, 'additive')
    const { verdict, why, remedy } = judged(on('2026-07-29', used))
    assert.equal(verdict, 'breaking')
    assert.match(`${why} ${remedy}`, /used on 2026-05-01, lately by usr_1 \(app\)\. Keep it until 2026-07-30/)
  })
  test('when its uses were counted for as long', () => {
    assert.equal(judged(on('2026-06-30', uses({ countedSince: '2026-04-01' }))).verdict, 'additive')
    const { verdict, why } = judged(on('2026-06-29', uses({ countedSince: '2026-04-01' })))
    assert.equal(verdict, 'breaking')
    assert.match(why, /counted since 2026-04-01 only/)
  })
  test('with usage counts', () => {
    for (const none of [null, new Map()]) {
      const { verdict, why, remedy } = judged(on('2026-06-01', none))
      assert.equal(verdict, 'breaking')
      assert.match(`${why} ${remedy}`, /Its use is not known\..* --usage/)
    }
  })
  test('only when it was deprecated', () => {
    const change = gone('Post.title')
    assert.equal(judgeRemoval(change, undefined, on('2030-01-01')), change)
  })
})

describe('9.3.2 a version may go', () => {
  test('after its sunset, not a day before', () => {
    assert.equal(judged(on('2027-01-15', null), version).verdict, 'additive')
    const { verdict, remedy } = judged(on('2027-01-14', null), version)
    assert.equal(verdict, 'breaking')
    assert.equal(remedy, 'Keep it until 2027-01-15.')
  })
  test('and the clients that use it still are named', () => {
    const uses = new Map([['v1', { countedSince: '2026-01-15', lastUsed: '2027-01-14', clients: ['usr_1 (app)'] }]])
    const { verdict, why } = judged(on('2027-01-15', uses), version)
    assert.equal(verdict, 'dangerous')
    assert.match(why, /used still, by usr_1 \(app\)/)
  })
})

test('what has a sunset of its own may go after it', () => {
  const change = { ...gone('Post.kind'), removed: undefined, sunset: '2027-01-15' } as unknown as Change
  assert.equal(judgeRemoval(change, undefined, on('2027-01-15', null)).verdict, 'additive')
  assert.equal(judgeRemoval(change, undefined, on('2027-01-14', null)).verdict, 'breaking')
})
