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

test('whoever may go on waits until it reads what another tab has written last', async (t) => {
  const tabs = [new Map<string, string>(), new Map<string, string>()]
  let tab = 0
  const localStorage = {
    getItem: (name: string) => tabs[tab]!.get(name) ?? null,
    setItem: (name: string, value: string) => void tabs[tab]!.set(name, value),
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage')
    else Object.defineProperty(globalThis, 'localStorage', before)
  })
  const [first, second] = [tabStorage('lag'), tabStorage('lag')]
  const tokens = { accessToken: 'a', refreshToken: 'r', renewAt: 1, expiresAt: 2 }
  await first.exclusively(async () => first.write(tokens))
  // From here on it is the other tab that looks, and its copy comes late.
  tab = 1
  const reading = second.exclusively(async () => second.read())
  await new Promise(setImmediate)
  for (const [name, value] of tabs[0]!) tabs[1]!.set(name, value)
  assert.deepEqual(await reading, tokens)
})
