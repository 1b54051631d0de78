// Where nobody has started OpenTelemetry: a process of its own, for what is registered stays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTraces } from '../../src/observation/trace.ts'

test('nothing is traced, and nothing of OpenTelemetry is loaded', async () => {
  assert.equal(await openTraces(assert.fail), null)
  assert(!(Symbol.for('opentelemetry.js.api.1') in globalThis))
})
