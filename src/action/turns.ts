// Work of an author's code in a transaction, one after the other, whatever of it that code does not wait for.

export interface Turns {
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Resolves once all that was begun has ended; rejects never. */
  settled(): Promise<void>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    inTurn(work) {
      const result = last.then(work)
      last = result.catch(() => undefined)
      return result
    },
    async settled() {
      for (let previous: Promise<unknown> | null = null; previous !== last; ) {
        previous = last
        await previous
      }
    },
  }
}
