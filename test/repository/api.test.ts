import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { apiFile, configurationFile, makeApiReport } from '../../site/api.ts'
import { configurationPage } from '../../site/reference/pages.ts'

test('api.md has what can be imported, with its types: after a change, run npm run api', () => {
  const report = makeApiReport()
  assert.match(report, /^## duet-api\/client\/subscriptions$/m)
  assert.equal(report, readFileSync(apiFile, 'utf8'))
})

test('docs/configuration.md has every variable as the service reads it: npm run api writes it, too', () => {
  assert.equal(configurationPage(), readFileSync(configurationFile, 'utf8'))
})
