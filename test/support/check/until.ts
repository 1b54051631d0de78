// Waits for what a worker does in its own time.

import assert from 'node:assert/strict'

/** Resolves once it is so, asked every few milliseconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; !(await isSo()); look++) {
    assert(look < 20_000, 'it never came')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
