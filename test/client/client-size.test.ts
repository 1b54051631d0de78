// What the client costs those who load it: bundled for browsers, minified and compressed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { bundleForBrowsers as bundle } from '../support/client/bundle.ts'

const compressed = (code: Buffer): number => gzipSync(code, { level: 9 }).length

test('all of the client is under 15 kB, and needs nothing of Node', async (context) => {
  const code = await bundle("export * from 'duet-api/client'")
  const size = compressed(code)
  context.diagnostic(`the client: ${size} bytes compressed, ${code.length} before`)
  assert.ok(size < 15_000, `${size} bytes`)
  assert.doesNotMatch(code.toString(), /\bfrom\s*"|\brequire\(/)
})

test('subscriptions add less than 5 kB for those who import them', async (context) => {
  const code = await bundle("export * from 'duet-api/client/subscriptions'")
  context.diagnostic(`subscriptions: ${compressed(code)} bytes compressed`)
  assert.ok(compressed(code) < 5_000, `${compressed(code)} bytes`)
  assert.doesNotMatch((await bundle("export * from 'duet-api/client'")).toString(), /graphql-transport-ws/)
})

test('what is not used is left out', async (context) => {
  const whole = compressed(await bundle("export * from 'duet-api/client'"))
  const part = await bundle("export { createClient } from 'duet-api/client'")
  context.diagnostic(`createClient alone: ${compressed(part)} bytes compressed`)
  assert.ok(compressed(part) < whole - 300, `${compressed(part)} of ${whole}`)
  assert.doesNotMatch(part.toString(), /BroadcastChannel|localStorage/)
})
