// A promise that nothing asks about is no promise: every clause has a row, or a test that begins with its number.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contract } from './contract.ts'

const isNamed = (clause: string, tables: readonly string[]): boolean =>
  tables.some((text) =>
    ["'", '`'].some((quote) => text.includes(`${quote}${clause}${quote}`) || text.includes(`${quote}${clause} `)),
  )

const tables = globSync(`${import.meta.dirname}/*.test.ts`).map((path) => readFileSync(path, 'utf8'))

for (const [clause, sentence] of Object.entries(contract)) {
  test(`${clause} has a row: ${sentence}`, () => assert.ok(isNamed(clause, tables)))
}

test('a clause that no table names has no row', () => {
  const table = ["{ clause: '4 Paging.12', it: 'x' }", "test('3 Refresh.1 one is granted', () => {})"]
  const named = ['4 Paging.12', '4 Paging.1', '3 Refresh.1', '3 Refresh.2'].filter((clause) => isNamed(clause, table))
  assert.deepEqual(named, ['4 Paging.12', '3 Refresh.1'])
})
