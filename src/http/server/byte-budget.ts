// Limits the bytes of one kind that this process holds for all clients.

export interface ByteBudget {
  /** Returns false and reserves nothing beyond the limit. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let reserved = 0
  return {
    take(bytes) {
      if (reserved + bytes > bytesMax) return false
      reserved += bytes
      return true
    },
    give(bytes) {
      reserved -= bytes
    },
  }
}
