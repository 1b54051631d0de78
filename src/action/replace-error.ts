// Replaces the error of a program.

import type { Program } from '../store/store.ts'

/** `replacement` returns what is thrown in its place. */
export function* replaceError<T>(program: Program<T>, replacement: (error: unknown) => unknown): Program<T> {
  try {
    return yield* program
  } catch (error) {
    throw replacement(error)
  }
}
