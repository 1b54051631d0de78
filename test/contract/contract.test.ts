// A promise that nothing asks about is no promise: every clause has a row.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contract } from './contract.ts'

/** The clauses that these texts of tables name. */
const namedIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => Array.from(text.matchAll(/'(\d(?:\.\d+)* ?[^'\n]*\.[\w-]+)'/g), ([, name]) => name!)))

const tables = globSync(`${import.meta.dirname}/*.test.ts`).map((path) => readFileSync(path, 'utf8'))
const rows = namedIn(tables)

for (const [clause, sentence] of Object.entries(contract)) {
  test(`${clause} has a row: ${sentence}`, () => assert.ok(rows.has(clause)))
}

test('a clause that no table names has no row', () => {
  assert.deepEqual(
    [...namedIn(["{ clause: '4 Paging.1', it: 'x' }", "['2 Fields.users', 2.5]"])],
    ['4 Paging.1', '2 Fields.users'],
  )
})
