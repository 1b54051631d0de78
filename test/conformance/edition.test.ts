// conformance/clauses.json is printed from the contract, and every test of the kit is about a clause in it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { clauseTests, limitTests } from '../../conformance/src/clauses/index.ts'
import { contract } from '../../conformance/src/contract.ts'
import { invariants } from '../../conformance/src/kit/invariants.ts'
import { reasons } from '../../conformance/src/reasons.ts'
import { clausesFile, printEdition } from './edition.ts'

test('its clauses are those of the contract: npm run api prints them', async () => {
  assert.equal(await readFile(clausesFile, 'utf8'), await printEdition())
})

const tested = new Set([...clauseTests, ...limitTests, ...invariants].map(({ clause }) => clause))

test('each clause of the API contract has a test or a reason why it has none, and nothing else has', () => {
  const both = [...tested, ...reasons.keys()]
  assert.deepEqual(
    both.filter((clause) => !contract.has(clause)),
    [],
  )
  assert.deepEqual(
    [...contract.keys()].filter((clause) => !both.includes(clause)),
    [],
    'each new clause needs a test in conformance/src/clauses, or its reason in conformance/src/reasons.ts',
  )
  assert.deepEqual(
    [...reasons.keys()].filter((clause) => tested.has(clause)),
    [],
  )
  assert.ok(tested.size >= 280, `${tested.size} clauses have a test`)
})
