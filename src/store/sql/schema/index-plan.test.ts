// Which indexes share one. (contract 12.3.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planIndexes, type WantedIndex } from './index-plan.ts'

/** `a b | c` has the fixed columns a and b and the order c; `{x}` is a condition. */
function wantedBy(text: string): WantedIndex {
  const [, head = '', order = '', condition] = /^([^|]*)\| ?([^{]*)(?:\{(.*)\})?$/.exec(text)!
  const [fixed, rest] = [head, order].map((part) => part.split(' ').filter((each) => each !== ''))
  return {
    question: text,
    columns: [...fixed!, ...rest!],
    fixed: fixed!.length,
    conditions: condition === undefined ? [] : [condition],
  }
}

const column = (name: string, type: string, nullable = false) => ({ name, type, nullable })
const tenant = column('tenant', 'text')
const number = column('number', 'integer', true)
const resource = {
  columns: [column('at', 'timestamp'), column('gone_at', 'timestamp', true), column('day', 'date'), number, tenant],
  tenants: [tenant],
}

/** The questions that each kept index serves, by its columns. */
function planOf(
  wanted: readonly string[],
  uniques: readonly string[] = [],
  counters: readonly object[] = [],
): Readonly<Record<string, readonly string[]>> {
  const plan = planIndexes(
    wanted.map(wantedBy),
    uniques.map((each) => each.split(' ')),
    { ...resource, counters } as never,
  )
  return Object.fromEntries(plan.map(({ columns, questions }) => [columns.join(' '), [...questions]]))
}

const rows: readonly {
  readonly it: string
  readonly wanted: readonly string[]
  readonly uniques?: readonly string[]
  readonly counters?: readonly object[]
  readonly kept: readonly string[]
}[] = [
  { it: 'a longer one begins with it', wanted: ['a |', 'a | b id'], kept: ['a b id'] },
  {
    it: 'a longer one has its fixed columns in another order',
    wanted: ['a b c |', 'a c b | d'],
    kept: ['a c b d'],
  },
  { it: 'not if a join knows the first column alone', wanted: ['a b |', 'b a | c'], kept: ['a b', 'b a c'] },
  { it: 'not if the order is another one', wanted: ['a | b c', 'a | c b'], kept: ['a b c', 'a c b'] },
  { it: 'not if an order comes before a fixed column', wanted: ['| a b', 'b | a'], kept: ['a b', 'b a'] },
  { it: 'not if it has other records', wanted: ['a | {x is null}', 'a | b id'], kept: ['a', 'a b id'] },
  { it: 'a unique one finds at most one record', wanted: ['a b | created_at id'], uniques: ['a b'], kept: ['a b'] },
  { it: 'a unique one has the order', wanted: ['a | b id'], uniques: ['a b'], kept: ['a b'] },
  { it: 'a unique one begins with it', wanted: ['a |', 'a | b'], uniques: ['a b c'], kept: ['a b c'] },
  {
    it: 'not if more is unique than is fixed',
    wanted: ['a b | created_at id'],
    uniques: ['a b c'],
    kept: ['a b c', 'a b created_at id'],
  },
  {
    it: 'not if the order precedes what is unique',
    wanted: ['a | c b id'],
    uniques: ['a b'],
    kept: ['a b', 'a c b id'],
  },
  { it: 'not in the unique order of another column', wanted: ['| a b id'], uniques: ['b a'], kept: ['b a', 'a b id'] },
  { it: 'the order of times, which hardly repeat', wanted: ['at | created_at id', '| at id'], kept: ['at id'] },
  {
    it: 'not where a time can be missing',
    wanted: ['gone_at | created_at id', '| gone_at id'],
    kept: ['gone_at created_at id', 'gone_at id'],
  },
  {
    it: 'not of days, which repeat',
    wanted: ['day | created_at id', '| day id'],
    kept: ['day created_at id', 'day id'],
  },
  {
    it: 'the order of numbers that a tenant counts',
    wanted: ['number | created_at id', '| number id'],
    counters: [{ column: number, within: tenant, on: null }],
    kept: ['number id'],
  },
  {
    it: 'not of numbers that begin in each parent',
    wanted: ['number | created_at id', '| number id'],
    counters: [{ column: number, within: column('parent', 'text'), on: null }],
    kept: ['number created_at id', 'number id'],
  },
  {
    it: 'not of numbers that a move gives',
    wanted: ['number | created_at id', '| number id'],
    counters: [{ column: number, within: null, on: 'issue' }],
    kept: ['number created_at id', 'number id'],
  },
]
for (const { it, wanted, uniques = [], counters = [], kept } of rows)
  test(`12.3.5 ${it}`, () => {
    const plan = planOf(wanted, uniques, counters)
    assert.deepEqual(Object.keys(plan).sort(), [...kept].sort())
    assert.deepEqual(Object.values(plan).flat().sort(), [...wanted].sort())
  })

test('12.3.5 what serves a question can itself be served', () => {
  assert.deepEqual(planOf(['a |', 'a | b', 'a | b c id']), { 'a b c id': ['a | b c id', 'a | b', 'a |'] })
})
