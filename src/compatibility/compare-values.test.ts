// Kinds of numbers and days that become others, as the contract check judges their schemas.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bigint, date, decimal, float, integer, uuid } from 'duet-api'
import { type AnyField, specOf } from '../resource/field/field.ts'
import '../resource/field/kinds.ts'
import { valueSchema } from '../resource/field/registry.ts'
import type { Change } from './change.ts'
import { compareValues, type Side } from './compare-values.ts'

const price = decimal({ precision: 9, scale: 2 })
const changes: readonly (readonly [what: string, before: AnyField, after: AnyField])[] = [
  ['more digits behind the point', price, decimal({ precision: 10, scale: 3 })],
  ['fewer of them', price, decimal({ precision: 8, scale: 1 })],
  ['a number that becomes exact', float(), price],
  ['an exact number that becomes a measure', price, float()],
  ['an integer that becomes large', integer(), bigint()],
  ['a day that becomes an id', date(), uuid()],
]

function verdicts(before: AnyField, after: AnyField, side: Side): ReadonlySet<string> {
  const found = new Set<string>()
  const schema = (of: AnyField) => valueSchema(specOf(of), side === 'input', (part) => part)
  compareValues(schema(before), schema(after), side, 'Entry.value', ({ verdict }: Change) => void found.add(verdict))
  return found
}

for (const [what, before, after] of changes)
  test(`${what} breaks clients that send it`, () => {
    assert.ok(verdicts(before, after, 'input').has('breaking'))
    assert.deepEqual([...verdicts(before, before, 'input'), ...verdicts(after, after, 'answer')], [])
  })

const bounds: readonly (readonly [
  what: string,
  before: AnyField,
  after: AnyField,
  sent: string[],
  answered: string[],
])[] = [
  [
    'a higher maximum',
    decimal({ precision: 9, scale: 2, max: '9.50' }),
    decimal({ precision: 9, scale: 2, max: '10' }),
    ['additive'],
    ['dangerous'],
  ],
  [
    'a lower maximum',
    decimal({ precision: 9, scale: 2, max: '10' }),
    decimal({ precision: 9, scale: 2, max: '9.99' }),
    ['breaking'],
    ['additive'],
  ],
  ['a higher minimum', bigint({ min: 9n }), bigint({ min: 10n }), ['breaking'], ['additive']],
  ['a lower minimum', bigint({ min: 10n }), bigint({ min: 9n }), ['additive'], ['dangerous']],
  ['more digits before the point', price, decimal({ precision: 10, scale: 2 }), ['additive'], ['dangerous']],
  ['fewer of them', price, decimal({ precision: 8, scale: 2 }), ['breaking'], ['additive']],
]
for (const [what, before, after, sent, answered] of bounds)
  test(`11.1.10 ${what} of an exact number is judged by its value`, () => {
    assert.deepEqual([...verdicts(before, after, 'input')], sent)
    assert.deepEqual([...verdicts(before, after, 'answer')], answered)
  })
