import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { apiFile, makeApiReport } from '../../site/api.ts'

test('api.md has what can be imported, with its types: whoever changes that writes it again with npm run api', () => {
  const report = makeApiReport()
  assert.match(report, /^## duet-api\/client\/subscriptions$/m)
  assert.equal(report, readFileSync(apiFile, 'utf8'))
})
