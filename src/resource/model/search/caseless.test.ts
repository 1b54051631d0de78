// Texts that are one whatever their case: what Unicode says, held to JavaScript's own way of comparing letters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase, foldedValue } from './caseless.ts'

test('texts that differ in case, width or composition fold to one (contract 11.2.5)', () => {
  const alike = [
    ['Straße', 'STRASSE', 'straẞe', 'ｓｔｒａｓｓｅ'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'ΣΊΣΥΦΟς'],
    ['İ', 'i\u0307'],
    ['ŉ', 'ʼN', 'ʼn'],
    ['ﬁn', 'FIN'],
    ['\u0390', 'Ϊ\u0301', 'ϊ\u0301'],
    ['Ꭰ', 'ꭰ'],
    ['K', 'k', 'K'],
  ]
  for (const [first, ...others] of alike)
    for (const each of others) assert.equal(foldCase(each), foldCase(first!), `${first} ${each}`)
})

test('others do not', () => {
  for (const [one, other] of [
    ['i', 'ı'],
    ['I', 'ı'],
    ['a', 'á'],
    ['o', 'ö'],
    ['', ' '],
  ] as const)
    assert.notEqual(foldCase(one), foldCase(other), `${one} ${other}`)
})

test('letters that a regular expression takes for one without their case are one', () => {
  const letter = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((each) => each.isWellFormed())
  fc.assert(
    fc.property(letter, (each) => {
      for (const other of [each.toLowerCase(), each.toUpperCase()])
        if (new RegExp(`^\\u{${each.codePointAt(0)!.toString(16)}}$`, 'iu').test(other))
          assert.equal(foldCase(other), foldCase(each))
    }),
    { numRuns: 2_000 },
  )
})

test('what is folded is folded', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (each) => foldCase(foldCase(each)) === foldCase(each)))
})

test('a form of too many bytes is its hash', () => {
  assert.equal(foldedValue('ÀB', 4), foldCase('ÀB').length === 2 ? 'àb' : '')
  assert.equal(foldedValue('a'.repeat(400), 400), 'a'.repeat(400))
  assert.equal(foldedValue('a'.repeat(401), 400).length, 43)
  assert.equal(foldedValue('A'.repeat(401), 400), foldedValue('a'.repeat(401), 400))
  assert.notEqual(foldedValue('a'.repeat(402), 400), foldedValue('a'.repeat(401), 400))
})
