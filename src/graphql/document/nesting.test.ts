import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mainThreadMs } from '../../../test/support/check/processor-time.ts'
import { nestsDeeper } from './nesting.ts'

describe('brackets nest as deep as', () => {
  const rows: readonly (readonly [text: string, depth: number])[] = [
    ['', 0],
    ['{ a { b } }', 2],
    ['{ a(x: [[1], { y: 2 }]) }', 4],
    ['{ a } { b }', 1],
    ['{ a(x: "{[(") }', 2],
    ['{ a(x: "\\"{") }', 2],
    ['{ a(x: """ { " { \\""" { """) }', 2],
    ['{ # {{{\n a }', 1],
    ['{ # {{{\r a { b } }', 2],
    ['{ a(x: "") { b } }', 2],
    ['{ a(x: """""") { b } }', 2],
    ['{ a(x: "open\n) { b } }', 2],
  ]
  for (const [text, depth] of rows)
    test(`${depth}: ${text.replaceAll(/\s/g, ' ')}`, () =>
      assert.deepEqual([nestsDeeper(text, depth), depth > 0 && nestsDeeper(text, depth - 1)], [false, depth > 0]))
})

test('a text of unfinished strings takes no longer than another', () => {
  const started = mainThreadMs()
  nestsDeeper('"""'.repeat(80_000), 10)
  nestsDeeper(`${'"'.repeat(250_001)}`, 10)
  nestsDeeper(`"""${'\\"""'.repeat(60_000)}`, 10)
  assert.ok(mainThreadMs() - started < 1_000)
})
