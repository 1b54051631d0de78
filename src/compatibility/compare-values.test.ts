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
