import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kind } from '../field/text.ts'
import { countryCodes } from './country-codes.ts'
import { currencyCodes } from './currency-codes.ts'
import { languageCodes } from './language-codes.ts'
import { timeZone } from './time-zone.ts'
import { timeZoneNames } from './time-zone-names.ts'

const missing = (codes: ReadonlySet<string>, all: readonly string[]) => all.filter((each) => !codes.has(each))

test('what this Node knows is there: otherwise run npm run codes', () => {
  assert.deepEqual(missing(currencyCodes, Intl.supportedValuesOf('currency')), [])
  assert.deepEqual(missing(timeZoneNames, Intl.supportedValuesOf('timeZone')), [])
})

const isCode = (format: string, code: string): boolean => {
  let isRefused = false
  const refuse = () => {
    isRefused = true
    return undefined
  }
  kind.check({ kind: 'text', format, max: 3 } as never, code, refuse, (part) => part)
  return !isRefused
}

test('11.1.8 a currency is any code of ISO 4217, and nothing else', () => {
  for (const code of ['EUR', 'XAU', 'XAG', 'XDR', 'XTS', 'XXX', 'CHE', 'CLF', 'UYW', 'VED', 'XCG', 'ZWG', 'SLE', 'HRK'])
    assert.equal(isCode('currency', code), true, code)
  for (const code of ['eur', 'EU', 'EURO', 'XYZ', 'BTC', '978', '', 'ÄUR'])
    assert.equal(isCode('currency', code), false, code)
})

const letters = [...'abcdefghijklmnopqrstuvwxyz']
const pairs = letters.flatMap((first) => letters.map((second) => first + second))
const triples = pairs.flatMap((pair) => letters.map((letter) => pair + letter))

// The names of Unicode CLDR, which Node has, are somebody else's list.
test('11.1.11 a country is any code of ISO 3166-1, and nothing else', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  // Reserved or for private use, or withdrawn: CLDR names them as well.
  const unofficial = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '))
  for (const code of pairs.map((each) => each.toUpperCase())) {
    const isCurrent = names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code
    assert.equal(isCode('country', code), isCurrent && !unofficial.has(code), code)
  }
  assert.ok(countryCodes.size >= 249)
  for (const code of ['at', 'AUT', 'UK', '40', 'A', '']) assert.equal(isCode('country', code), false, code)
})

test('11.1.11 a language is any code of ISO 639, the shortest it has, and nothing else', () => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  let named = 0
  for (const code of [...pairs, ...triples]) {
    if (names.of(code) === undefined) continue
    // What CLDR replaces may be a code of ISO 639 all the same, of a language that is part of another.
    if (new Intl.Locale(code).language !== code) continue
    assert.equal(isCode('language', code), true, code)
    named++
  }
  assert.ok(named > 600, `${named}`)
  assert.equal([...languageCodes].filter((code) => code.length === 2 && names.of(code) === undefined).length, 0)
  // Named by no list but that of ISO.
  for (const code of ['aaa', 'gsw', 'tok', 'zza', 'mul', 'und', 'zxx'])
    assert.equal(isCode('language', code), true, code)
  for (const code of [
    'DE',
    'deu',
    'ger',
    'eng',
    'fra',
    'fre',
    'zho',
    'chi',
    'nor',
    'de-AT',
    'german',
    'qaa',
    'xx',
    'd',
    '',
  ])
    assert.equal(isCode('language', code), false, code)
})

const isKnown = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== null
  } catch {
    return false
  }
}

test('a time zone is any name of the IANA database, in any case, and nothing else (contract 12.2.39)', () => {
  // Made by a newer Node, some may not be known to this one.
  const unknown = [...timeZoneNames].filter((name) => name !== 'Factory' && !isKnown(name))
  assert.ok(unknown.length <= 5, unknown.join())
  for (const name of [
    'Factory',
    'Etc/GMT+5',
    'EST5EDT',
    'GMT0',
    'US/Pacific',
    'Europe/Kyiv',
    'Asia/Calcutta',
    'europe/berlin',
  ])
    assert.notEqual(timeZone(name), null, name)
  assert.deepEqual(timeZone('Factory')!.periods, timeZone('UTC')!.periods)
  for (const name of ['IST', 'PST', 'SystemV/AST4', 'Asia/Hanoi', '+01:00', 'localtime', '', 'UTC '])
    assert.equal(timeZone(name), null, name)
})
