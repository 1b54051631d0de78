// Who is let go first when a service ends. (contract 0.3.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ending } from './shutdown.ts'

/** Two who are served by two things, each noting its end; `fails` and `lasts` name the one that does. */
function ending({ fails, lasts, stopMs = 600_000 }: { fails?: string; lasts?: string; stopMs?: number } = {}) {
  const ended: string[] = []
  const warnings: string[] = []
  const end = (name: string) => async () => {
    ended.push(name)
    if (name === fails) throw new Error(name)
    if (name === lasts) await new Promise(() => {})
  }
  const it = new Ending({ stopMs }, { warn: (sentence) => void warnings.push(sentence) })
  for (const name of ['first need', 'second need']) it.needed.defer(end(name))
  for (const name of ['one', 'other']) it.serves(end(name))
  return { it, ended, warnings }
}
const all = ['one', 'other', 'second need', 'first need']

test('whoever is served goes first, and what was opened last is closed before what it needs', async () => {
  const { it, ended, warnings } = ending()
  await it.close()
  assert.deepEqual([ended, warnings], [all, []])
})

test('what fails keeps nothing else open', async () => {
  for (const fails of all) {
    const { it, ended } = ending({ fails })
    await assert.rejects(it.close(), { message: fails })
    assert.deepEqual(ended, all)
  }
})

test('what does not end is left after a while, and the log told', async () => {
  const { it, ended, warnings } = ending({ lasts: 'one', stopMs: 1 })
  await it.close()
  assert.deepEqual([ended, warnings], [['one', 'other'], ['Not everything could be closed in time.']])
})
