// Memory that is shared by all answers that are being built or sent, or by all bodies that are being read. (contract 8.4.7)

export interface AnswerRoom {
  /** Reserves bytes. Returns false and reserves nothing if that exceeds the budget. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** The budget of this process for what is of one kind. */
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

  /** Called when a reservation fails, so that holders can release unneeded memory. */
  onFull(letGo: () => void): void {
    this.#onFull.push(letGo)
  }
}

/** The share of one connection, which is released when the connection closes. */
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
    // Nothing is held after `close`.
    const bytesToRelease = Math.min(bytes, this.#held)
    this.#held -= bytesToRelease
    this.#room.give(bytesToRelease)
  }

  close(): void {
    this.#isClosed = true
    this.give(this.#held)
  }
}
