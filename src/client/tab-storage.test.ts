import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tabStorage } from './tab-storage.ts'

test('what cannot be read in localStorage is nobody’s session', async (t) => {
  const kept = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage')
    else Object.defineProperty(globalThis, 'localStorage', before)
  })
  const storage = tabStorage()
  for (const foreign of ['{"tok', 'null', '7', '[]']) {
    kept.set('duet', foreign)
    assert.equal(await storage.read(), null, foreign)
  }
  const tokens = { accessToken: 'a', refreshToken: 'r', renewAt: 1, expiresAt: 2 }
  await storage.write(tokens)
  assert.deepEqual(await storage.read(), tokens)
})
