// Detects that a SQLite file was deleted or replaced, which SQLite does not in WAL mode: later writes would be lost with the
// process.

import { statSync } from 'node:fs'

export class SqliteFile {
  readonly path: string
  readonly #files: readonly { readonly path: string; readonly inode: number | null }[]

  /** After the database and its log were opened. */
  constructor(path: string) {
    this.path = path
    this.#files = [path, `${path}-wal`].map((each) => ({ path: each, inode: inodeOf(each) }))
  }

  /** Throws FileMoved if one of the files is missing or another one. */
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
  // If that cannot be determined, the file is out of reach.
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino ?? null
  } catch {
    return null
  }
}
