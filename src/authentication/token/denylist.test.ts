// Refusing credentials before they expire. (contract 3.4.2, 5.1.3)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDenylist, type Denial } from './denylist.ts'

const start = new Date('2026-11-20T09:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const until = at(900)
const token = { subject: 'usr_1', sessionId: 'ses_1', epoch: 3, issuedAt: start }
const outside = { ...token, epoch: null, sessionId: null }
const quiet = () => createDenylist(100_000, { error: assert.fail })
const user = (epoch: number, moment = start): Denial => ({ kind: 'user', userId: 'usr_1', epoch, at: moment, until })

describe('the denylist', () => {
  it('refuses nothing that was not denied', () => {
    const denylist = quiet()
    denylist.deny({ kind: 'session', sessionId: 'usr_1', until }, start)
    denylist.deny({ kind: 'user', userId: 'ses_1', epoch: 9, at: at(9), until }, start)
    assert.equal(denylist.refuses(token), false)
  })

  it('refuses all tokens of a session', () => {
    const denylist = quiet()
    denylist.deny({ kind: 'session', sessionId: 'ses_1', until }, start)
    assert.equal(denylist.refuses(token), true)
    assert.equal(denylist.refuses({ ...token, issuedAt: at(60) }), true)
    assert.equal(denylist.refuses({ ...token, sessionId: 'ses_2' }), false)
    assert.equal(denylist.refuses({ ...token, sessionId: null }), false)
  })

  it("refuses a user's tokens of earlier epochs, whatever the clocks said, and none of later ones", () => {
    const denylist = quiet()
    denylist.deny(user(4, at(100)), start)
    assert.equal(denylist.refuses({ ...token, epoch: 3, issuedAt: at(200) }), true)
    assert.equal(denylist.refuses({ ...token, epoch: 4, issuedAt: at(50) }), false)
    assert.equal(denylist.refuses({ ...token, subject: 'usr_2' }), false)
  })

  it("refuses an outside issuer's tokens issued up to that moment", () => {
    const denylist = quiet()
    denylist.deny(user(4, at(100)), start)
    assert.equal(denylist.refuses({ ...outside, issuedAt: at(100) }), true)
    assert.equal(denylist.refuses({ ...outside, issuedAt: at(101) }), false)
  })

  it('never takes a denial back when an older one arrives later', () => {
    const denylist = quiet()
    denylist.deny(user(5, at(100)), start)
    denylist.deny(user(2, at(10)), start)
    assert.equal(denylist.refuses({ ...token, epoch: 4 }), true)
    assert.equal(denylist.refuses({ ...outside, issuedAt: at(50) }), true)
  })

  it('takes over what a later denial adds', () => {
    const denylist = quiet()
    denylist.deny(user(2, at(10)), start)
    denylist.deny(user(5, at(100)), start)
    assert.equal(denylist.refuses({ ...token, epoch: 4 }), true)
    assert.equal(denylist.refuses({ ...outside, issuedAt: at(50) }), true)
  })

  it('keeps a denial as long as the longest one that was requested', () => {
    const denylist = quiet()
    denylist.deny({ kind: 'session', sessionId: 'ses_1', until: at(1000) }, start)
    denylist.deny({ kind: 'session', sessionId: 'ses_1', until: at(10) }, start)
    for (let index = 0; index < 5000; index += 1)
      denylist.deny({ kind: 'session', sessionId: `x${index}`, until: at(20) }, at(500))
    assert.equal(denylist.refuses(token), true)
  })

  it('forgets what has expired, so that it does not grow', () => {
    const denylist = quiet()
    for (let index = 0; index < 50_000; index += 1) {
      denylist.deny({ kind: 'session', sessionId: `b${index}`, until: at(index + 10) }, at(index))
      denylist.deny({ kind: 'user', userId: `c${index}`, epoch: 1, at: at(index), until: at(index + 10) }, at(index))
    }
    assert.ok(denylist.size < 1100, `${denylist.size} denials are kept`)
  })

  it('when full refuses every earlier token, and reports it, rather than forget one', () => {
    const problems: string[] = []
    const denylist = createDenylist(3, { error: (problem) => problems.push(problem) })
    const sessions = ['s1', 's2', 's3', 's4']
    for (const sessionId of sessions) denylist.deny({ kind: 'session', sessionId, until }, at(10))
    assert.equal(problems.length, 1)
    assert.equal(denylist.size, 1)
    for (const sessionId of [...sessions, 'never denied']) assert.equal(denylist.refuses({ ...token, sessionId }), true)
    assert.equal(denylist.refuses({ ...token, sessionId: 'new', issuedAt: at(10) }), true)
    assert.equal(denylist.refuses({ ...token, sessionId: 'new', issuedAt: at(11) }), false)
  })
})
