// How many bytes of one kind everybody together may make this process hold.

export interface ByteBudget {
  /** Holds so many more. False, and nothing is held, where that would be too many. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let held = 0
  return {
    take(bytes) {
      if (held + bytes > bytesMax) return false
      held += bytes
      return true
    },
    give(bytes) {
      held -= bytes
    },
  }
}
