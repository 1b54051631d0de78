import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { tabStorage } from './tab-storage.ts'

const tokens = { accessToken: 'a', refreshToken: 'r', renewAt: 1, expiresAt: 2 }

const skip = 'locks' in navigator ? false : 'Node has Web Locks since 24.5, as browsers have'

/** Puts a localStorage in place whose content is the map that `current` answers, until the test ends. */
function replaceLocalStorage(t: TestContext, current: () => Map<string, string>): void {
  const localStorage = {
    getItem: (name: string) => current().get(name) ?? null,
    setItem: (name: string, value: string) => void current().set(name, value),
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage')
    else Object.defineProperty(globalThis, 'localStorage', before)
  })
}

test('an unreadable value in localStorage is no session', { skip }, async (t) => {
  const content = new Map<string, string>()
  replaceLocalStorage(t, () => content)
  const storage = tabStorage()
  for (const foreign of ['{"tok', 'null', '7', '[]']) {
    content.set('duet', foreign)
    assert.equal(await storage.read(), null, foreign)
  }
  await storage.write(tokens)
  assert.deepEqual(await storage.read(), tokens)
})

test('a caller who may go on waits until it reads what another tab has written last', { skip }, async (t) => {
  const tabs = [new Map<string, string>(), new Map<string, string>()] as const
  let tab: 0 | 1 = 0
  replaceLocalStorage(t, () => tabs[tab])
  const [first, second] = [tabStorage('lag'), tabStorage('lag')]
  await first.exclusively(async () => first.write(tokens))
  // From here on it is the other tab that looks, and its copy comes late.
  tab = 1
  const reading = second.exclusively(async () => second.read())
  await new Promise(setImmediate)
  for (const [name, value] of tabs[0]) tabs[1].set(name, value)
  assert.deepEqual(await reading, tokens)
})
