// Whether a SQLite database still is where it was opened: what is written to a file that somebody deleted or replaced is
// lost with the process, and SQLite does not look in WAL mode.

import { statSync } from 'node:fs'

export class SqliteFile {
  readonly path: string
  readonly #files: readonly { readonly path: string; readonly inode: number | null }[]

  /** After the database was opened, and its log beside it. */
  constructor(path: string) {
    this.path = path
    this.#files = [path, `${path}-wal`].map((each) => ({ path: each, inode: inodeOf(each) }))
  }

  /** Throws a FileMoved where one of its files is not there any more, or is another one. */
  requireInPlace(): void {
    for (const { path, inode } of this.#files) if (inodeOf(path) !== inode) throw new FileMoved(path)
  }
}

export class FileMoved extends Error {
  constructor(path: string) {
    super(
      `${path} was deleted, moved or replaced while it was in use. Put it back, or stop the service and restore a backup`,
    )
  }
}

function inodeOf(path: string): number | null {
  // Where even that cannot be found out, the file is out of reach.
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino ?? null
  } catch {
    return null
  }
}
