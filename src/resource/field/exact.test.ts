// Exact numbers print with their decimals, and are as exact as before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BigNumber } from 'bignumber.js'
import { decimal, decimalOf } from 'duet-api'
import { specOf } from './field.ts'
import { checkValue, readValue, writeValue } from './registry.ts'
import './kinds.ts'

const money = specOf(decimal({ precision: 12, scale: 2 }))
const read = (text: string) => readValue(money, text) as BigNumber

test('13.3.15 a decimal prints with the decimals of its field', () => {
  const price = read('12.50')
  assert.deepEqual([`${price}`, String(price), JSON.stringify({ price })], ['12.50', '12.50', '{"price":"12.50"}'])
  assert.equal(String(checkValue(money, '3', assert.fail)), '3.00')
  assert.equal(String(checkValue(money, new BigNumber(7), assert.fail)), '7.00')
  assert.equal(price.toString(16), 'c.8')
})

test('13.3.15 sums and differences print with those of their longest part', () => {
  const all = ['12.50', '0.50'].map(read)
  assert.equal(String(all.reduce((sum, each) => sum.plus(each), decimalOf('0'))), '13.00')
  assert.equal(String(decimalOf('20').minus(all[0]!)), '7.50')
  assert.equal(String(all[0]!.plus(decimalOf('0.125'))), '12.625')
  assert.equal(String(all[0]!.minus(1)), '11.50')
})

test('products keep every digit, and are written as before', () => {
  const tax = read('12.50').times('0.19')
  assert.equal(String(tax), '2.375')
  assert.equal(String(tax.decimalPlaces(2)), '2.38')
  assert.equal(writeValue(money, tax.decimalPlaces(2)), '2.38')
  assert.equal(read('12.50').isEqualTo('12.5'), true)
  assert.equal(read('2.00').isGreaterThan(read('10.00')), false)
  assert.equal(String(decimalOf('123456789012345.678')), '123456789012345.678')
})

test('decimalOf takes numbers alone', () => {
  for (const text of ['', 'a', '1e3', ' 1', '01', 'Infinity', 5 as never])
    assert.throws(() => decimalOf(text), /is no number: write a text such as decimalOf\('12.50'\)/)
})
