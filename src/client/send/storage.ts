// Storage of tokens, and exclusion between those who share them: a second use of a refresh token ends every session of the user.
// (contract 3.5.2)

/** The tokens of a signed-in user. */
export interface Tokens {
  readonly accessToken: string
  /** Null if it is in a cookie that scripts cannot read. */
  readonly refreshToken: string | null
  /** In milliseconds of the local clock: when to renew, and when the access token expires. */
  readonly renewAt: number
  readonly expiresAt: number
}
/** Stores a session, possibly shared. A refresh token works once, so renewals must be exclusive. (contract 3.5.2) */
export interface TokenStorage {
  read(): Tokens | null | Promise<Tokens | null>
  /** Null with a reason ends the session. */
  write(tokens: Tokens | null, why?: string): void | Promise<void>
  /** Runs `work` while no other owner of the tokens does. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Calls `ended` when another owner ends the session, until the returned function is called. */
  watch?(ended: (why: string) => void): () => void
}

/** For a single client. */
export function memoryStorage(): TokenStorage {
  let stored: Tokens | null = null
  return {
    read: () => stored,
    write: (tokens) => {
      stored = tokens
    },
    exclusively: queue(),
  }
}

/** Runs one task after the other. */
export function queue(): TokenStorage['exclusively'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
