import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../../test/support/oracle/random.ts'
import { wholePartsCharsMax } from '../column.ts'
import { foldForSearch, partMark, partsWithin, storedParts, storedWords } from './search-text.ts'

const rows: readonly (readonly [text: string, words: string])[] = [
  ['', ''],
  [' … !?', ''],
  ['One, two-three', 'one two three'],
  ['don’t', 'don t'],
  ['Straße STRASSE ﬁn', 'strasse strasse fin'],
  ['Über ÜBER u\u0308ber uber', 'uber uber uber uber'],
  ['İstanbul ISTANBUL', 'istanbul istanbul'],
  ['Ёлка', 'елка'],
  ['שָׁלוֹם', 'שלום'],
  ['كِتَاب', 'كتاب'],
  ['हिन्दी', 'हिन्दी'],
  ['co\u00adoperate', 'cooperate'],
  ['東京都', '東京 京都 都'],
  ['東', '東'],
  ['東京 都', '東京 京 都'],
  ['東京Tower3', '東京 京 tower3'],
  ['ガパ ｶﾞ', 'ガパ パ ガ'],
  ['한국', '한국 국'],
  ['กิน', 'กิ ิน น'],
  ['𠮷野', '𠮷野 野'],
  ['a\u0000b', 'a b'],
  ['e=mc²', 'e mc2'],
]
for (const [text, words] of rows) {
  test(`12.2.12 ${JSON.stringify(text)} is ${JSON.stringify(words)}`, () =>
    assert.equal(storedWords(text, 1_000), words === '' ? '' : ` ${words} `))
}

test('12.2.11 of a long text as many words as fit are stored, and of a long word its beginning', () => {
  assert.equal(storedWords('one two three', 9), ' one two ')
  assert.equal(storedWords('one two three', 8), ' one ')
  assert.equal(storedWords('東京都', 12), ' 東京 京都 '.slice(0, 4))
  assert.equal(storedWords('a'.repeat(65), 1_000), ` ${'a'.repeat(64)} `)
  assert.equal(storedWords(`${'𝒜b'.repeat(40)}`, 1_000), ` ${'ab'.repeat(32)} `)
})

test('12.2.16 of parts of words, the words are stored, and each three characters once', () => {
  const mark = (...trigrams: string[]) => trigrams.map((each) => `${partMark}${each} `).join('')
  assert.equal(storedParts('AB-12 x', 1_000), ` ab12 x ${mark('ab1', 'b12')}`)
  assert.equal(storedParts('aaaa', 1_000), ` aaaa ${mark('aaa')}`)
  assert.equal(storedParts('abcd efgh', 30), ` abcd ${mark('abc', 'bcd')}`)
  assert.equal(storedParts('', 1_000), '')
})

test('12.2.12 what is folded is folded, whatever the character', () => {
  for (let at = 0; at < 0x30000; at++) {
    if (at >= 0xd800 && at < 0xe000) continue
    const folded = foldForSearch(String.fromCodePoint(at))
    assert.equal(foldForSearch(folded), folded, `U+${at.toString(16)}`)
  }
})

test('12.1.22 what is asked of the index is stored of every text that has the text in it', () => {
  const random = createRandom(1)
  const letters = [
    ...'aAbBzZ019 -_/.\t',
    'é',
    'e\u0301',
    '\u0301',
    '\u0307',
    '\u0345',
    'İ',
    'ı',
    'ß',
    'ς',
    'Σ',
    'ﬁ',
    '\ufdfa',
    '½',
    'K',
  ]
  letters.push(
    '\u200d',
    '\u00ad',
    '\u3099',
    'か',
    '가',
    '\u1100',
    '\u1161',
    'ﾞ',
    'א',
    '\u05b8',
    '𠮷',
    '\u0338',
    'ʼ',
    'n',
    'I',
    'i',
  )
  let asked = 0
  for (let run = 0; run < 20_000; run++) {
    const text = Array.from({ length: 1 + random.below(20) }, () =>
      random.chance(0.6) ? random.one([...'abcXYZ09-']) : random.one(letters),
    )
    const start = random.below(text.length)
    const within = text.slice(start, start + 1 + random.below(text.length - start)).join('')
    const stored = new Set(storedParts(text.join(''), 100_000).split(' '))
    const parts = partsWithin(within)
    asked += parts.length
    for (const part of parts) assert.ok(stored.has(partMark + part), JSON.stringify([text.join(''), within, part]))
  }
  assert.ok(asked > 5_000, `${asked}`)
})

test('12.1.22 no text of this length has more parts than are stored', () => {
  let most = 0
  for (let point = 0; point < 0x110000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const text = String.fromCodePoint(point)
    // Folding makes three of a character at most.
    if (text.normalize('NFKC').length <= 3) continue
    let bytes = 0
    for (const each of foldForSearch(text)) bytes += 4 * Buffer.byteLength(each) + 5
    most = Math.max(most, bytes)
  }
  assert.ok(most * wholePartsCharsMax <= 100_000, `${most} bytes a character`)
})
