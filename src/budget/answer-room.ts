// Room in memory for the answers of everybody together, those that are made and those that are sent. (contract 8.4.7)

export interface AnswerRoom {
  /** Holds so many more bytes. False, and nothing is held, where that would be too many. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** The room of this process. */
export class SharedRoom implements AnswerRoom {
  readonly #bytesMax: number
  readonly #onFull: (() => void)[] = []
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  take(bytes: number): boolean {
    if (this.#held + bytes <= this.#bytesMax) {
      this.#held += bytes
      return true
    }
    for (const letGo of this.#onFull) letGo()
    return false
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  get heldBytes(): number {
    return this.#held
  }

  /** Called where somebody found no room, so that those who hold it in vain can be let go. */
  onFull(letGo: () => void): void {
    this.#onFull.push(letGo)
  }
}

/** What one connection holds of the room, so that all of it is given back when the connection is gone. */
export class ConnectionRoom implements AnswerRoom {
  readonly #room: AnswerRoom
  #held = 0
  #isClosed = false

  constructor(room: AnswerRoom) {
    this.#room = room
  }

  take(bytes: number): boolean {
    if (this.#isClosed || !this.#room.take(bytes)) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    // None where the connection is gone, and has given back everything.
    const bytesToRelease = Math.min(bytes, this.#held)
    this.#held -= bytesToRelease
    this.#room.give(bytesToRelease)
  }

  close(): void {
    this.#isClosed = true
    this.give(this.#held)
  }
}
