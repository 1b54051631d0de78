import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kind } from '../field/text.ts'
import { currencyCodes } from './currency-codes.ts'
import { timeZone } from './time-zone.ts'
import { timeZoneNames } from './time-zone-names.ts'

const missing = (codes: ReadonlySet<string>, all: readonly string[]) => all.filter((each) => !codes.has(each))

test('what this Node knows is there: otherwise run npm run codes', () => {
  assert.deepEqual(missing(currencyCodes, Intl.supportedValuesOf('currency')), [])
  assert.deepEqual(missing(timeZoneNames, Intl.supportedValuesOf('timeZone')), [])
})

test('11.1.8 a currency is any code of ISO 4217, and nothing else', () => {
  const isCurrency = (code: string): boolean => {
    let isRefused = false
    const refuse = () => {
      isRefused = true
      return undefined
    }
    kind.check({ kind: 'text', format: 'currency', max: 3 }, code, refuse, (part) => part)
    return !isRefused
  }
  for (const code of ['EUR', 'XAU', 'XAG', 'XDR', 'XTS', 'XXX', 'CHE', 'CLF', 'UYW', 'VED', 'XCG', 'ZWG', 'SLE', 'HRK'])
    assert.equal(isCurrency(code), true, code)
  for (const code of ['eur', 'EU', 'EURO', 'XYZ', 'BTC', '978', '', 'ÄUR']) assert.equal(isCurrency(code), false, code)
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
