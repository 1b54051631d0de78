// Without OpenTelemetry: in a process of its own, since what other tests register stays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProcess } from '../support/process/run-process.ts'

const program = `
  import assert from 'node:assert/strict'
  import { openTraces } from '${import.meta.resolve('../../src/observation/trace.ts')}'
  assert.equal(await openTraces(assert.fail), null)
  assert(!(Symbol.for('opentelemetry.js.api.1') in globalThis))`

test('nothing is traced, and nothing of OpenTelemetry is loaded', async () => {
  const args = ['--conditions=duet-source', '--input-type=module', '--eval', program]
  const { printed, code } = await runProcess(process.execPath, args, import.meta.dirname)
  assert.equal(code, 0, printed)
})
