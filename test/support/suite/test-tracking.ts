// node:test follows every promise, timer and socket to the suite or test that made it. It needs that to find the suite in which
// a test is declared; while tests run it takes a fifth of the processor time, and is turned off.

import asyncHooks, { type AsyncHook } from 'node:async_hooks'

const { createHook } = asyncHooks
let hook: AsyncHook | undefined
// node:test makes its hook with what it finds here when it is loaded.
Object.assign(asyncHooks, {
  createHook: (callbacks: Parameters<typeof createHook>[0]) => {
    hook = createHook(callbacks)
    return hook
  },
})
export const { describe, test } = await import('node:test')
Object.assign(asyncHooks, { createHook })

export const startTracking = (): void => void hook?.enable()
export const stopTracking = (): void => void hook!.disable()
