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
    conditions: condition?.split(',') ?? [],
  }
}

const column = (name: string, type: string, nullable = false) => ({ name, type, nullable })
const number = column('number', 'integer', true)
const resource = {
  columns: [column('at', 'timestamp'), column('gone_at', 'timestamp', true), column('day', 'date'), number],
}

/** The questions that each kept index serves, by its columns and conditions. */
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
  const text = (columns: readonly string[], conditions: readonly string[]) =>
    columns.join(' ') + (conditions.length === 0 ? '' : ` {${conditions}}`)
  return Object.fromEntries(
    plan.map(({ columns, conditions, questions }) => [text(columns, conditions), [...questions]]),
  )
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
  { it: 'not if it has other records', wanted: ['a | {"x" is null}', 'a | b id'], kept: ['a {"x" is null}', 'a b id'] },
  {
    it: 'not if others have the condition',
    wanted: ['a | b id {"a" is not null}', 'a | b id {"c" is not null}'],
    kept: ['a b id {"a" is not null}', 'a b id {"c" is not null}'],
  },
  {
    it: 'one of more records has them together, in the order of the column that is there',
    wanted: ['a | b id {"b" is not null}', 'a | b id'],
    kept: ['a b id'],
  },
  {
    it: 'the same under another condition, which both have',
    wanted: ['| b id {"b" is not null,"c" is not null}', '| b id {"c" is not null}'],
    kept: ['b id {"c" is not null}'],
  },
  {
    it: 'one of more records has those without a value together',
    wanted: ['a b | c id {"a" is null}', 'a b | c id'],
    kept: ['a b c id'],
  },
  {
    it: 'not if a column with a value precedes it in the order',
    wanted: ['a | c b id {"b" is not null}', 'a | c b id'],
    kept: ['a c b id {"b" is not null}', 'a c b id'],
  },
  {
    it: 'not one of fewer records',
    wanted: ['| b id', '| b c id {"b" is not null}'],
    kept: ['b id', 'b c id {"b" is not null}'],
  },
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
    it: 'the order of numbers',
    wanted: ['number | created_at id', '| number id'],
    counters: [{ column: number, within: null, on: null }],
    kept: ['number id'],
  },
  {
    it: 'not of numbers that begin in each parent or tenant',
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
