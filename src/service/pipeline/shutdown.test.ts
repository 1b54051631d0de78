// In which order a service is closed. (contract 0.3.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shutdown } from './shutdown.ts'

/** Two callbacks and two resources, each of which notes its end; `fails` and `lasts` name the one that does. */
function makeShutdown({ fails, lasts, stopMs = 600_000 }: { fails?: string; lasts?: string; stopMs?: number } = {}) {
  const ended: string[] = []
  const warnings: string[] = []
  const end = (name: string) => async () => {
    ended.push(name)
    if (name === fails) throw new Error(name)
    if (name === lasts) await new Promise(() => {})
  }
  const shutdown = new Shutdown({ stopMs }, { warn: (sentence) => void warnings.push(sentence) })
  for (const name of ['first resource', 'second resource']) shutdown.defer(end(name))
  for (const name of ['one', 'other']) shutdown.beforeClose(end(name))
  return { shutdown, ended, warnings }
}
const all = ['one', 'other', 'second resource', 'first resource']

test('callbacks run first, and resources are closed in reverse order of opening', async () => {
  const { shutdown, ended, warnings } = makeShutdown()
  await shutdown.close()
  assert.deepEqual([ended, warnings], [all, []])
})

test('a failure leaves nothing else open', async () => {
  for (const fails of all) {
    const { shutdown, ended } = makeShutdown({ fails })
    await assert.rejects(shutdown.close(), { message: fails })
    assert.deepEqual(ended, all)
  }
})

test('what does not end is abandoned after stopMs, with a warning', async () => {
  const { shutdown, ended, warnings } = makeShutdown({ lasts: 'one', stopMs: 1 })
  await shutdown.close()
  assert.deepEqual([ended, warnings], [['one', 'other'], ['Not everything could be closed in time.']])
})
