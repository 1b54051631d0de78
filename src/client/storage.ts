// Where tokens are kept between calls, and how those who share them keep out of each other's way. A refresh token is good
// for one use, and a second use ends every session of the user: whoever renews must be alone. (contract 3.5.2)

/** A session, as it is kept. */
export interface Tokens {
  readonly accessToken: string
  /** Null where it is in a cookie that no script can read. */
  readonly refreshToken: string | null
  /** By the clock of this machine, in milliseconds: when to renew, and when the access token is of no use any more. */
  readonly renewAt: number
  readonly expiresAt: number
}
/** Where a session is kept and who shares it. A refresh token works once, so whoever renews has to be alone. (contract 3.5.2) */
export interface TokenStorage {
  read(): Tokens | null | Promise<Tokens | null>
  /** Null, and why, where there is no session any more. */
  write(tokens: Tokens | null, why?: string): void | Promise<void>
  /** Runs this while nobody else who shares the tokens runs theirs. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Tells, until the returned function is called, that somebody else ended the session. */
  watch?(ended: (why: string) => void): () => void
}

/** For one client, as long as it lives. */
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

/** What runs in here does so one after the other. */
export function queue(): TokenStorage['exclusively'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
