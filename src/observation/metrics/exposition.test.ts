import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expose, type Family } from './exposition.ts'
import { createHistogram } from './histogram.ts'

const family = (type: Family['type'], read: Family['read']): Family => ({
  name: 'a',
  help: 'What it is.',
  type,
  labels: [],
  read,
})
const head = (type: string) => `# HELP a What it is.\n# TYPE a ${type}\n`

test('a number stands alone', () => {
  assert.equal(expose([family('gauge', () => 0.5)]), `${head('gauge')}a 0.5\n`)
})

test('labels are escaped', () => {
  const samples = [[{ b: 'say "x"\\y\nz', c: '' }, 1]] as const
  assert.equal(expose([family('counter', () => samples)]), `${head('counter')}a{b="say \\"x\\"\\\\y\\nz",c=""} 1\n`)
})

test('without samples there is still a type', () => {
  assert.equal(expose([family('counter', () => [])]), head('counter'))
})

test('a histogram counts up to and including each bound', () => {
  const histogram = createHistogram([0.5, 1])
  for (const seconds of [0.25, 0.5, 0.75, 1, 1.5, 40]) histogram.observe(seconds)
  const lines = [
    'a_bucket{b="c",le="0.5"} 2',
    'a_bucket{b="c",le="1"} 4',
    'a_bucket{b="c",le="+Inf"} 6',
    'a_sum{b="c"} 44',
    'a_count{b="c"} 6',
  ]
  assert.equal(
    expose([family('histogram', () => [[{ b: 'c' }, histogram]])]),
    `${head('histogram')}${lines.join('\n')}\n`,
  )
})
