// conformance/clauses.json is printed from the contract, and every test of the kit is about a clause in it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { clauseTests } from '../../conformance/src/clauses/index.ts'
import { contract } from '../../conformance/src/contract.ts'
import { invariants } from '../../conformance/src/kit/invariants.ts'
import { reasons } from '../../conformance/src/reasons.ts'
import { clausesFile, printEdition } from './edition.ts'

test('its clauses are those of the contract: npm run api prints them', async () => {
  assert.equal(await readFile(clausesFile, 'utf8'), await printEdition())
})

test('each test is about a clause of the API contract', () => {
  const tested = [...clauseTests, ...invariants].map(({ clause }) => clause)
  assert.deepEqual(
    [...tested, ...reasons.keys()].filter((clause) => !contract.has(clause)),
    [],
  )
  assert.ok(new Set(tested).size >= 220)
})
