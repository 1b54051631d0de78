// A copy of a SQLite file as it was at one moment, while others go on writing to it.

import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'

/** Why there is no copy, in a sentence for the person who asked for one. */
export class BackupRefused extends Error {}

/**
 * Copies the database to a file that is not there yet, which its owner alone may read, and answers its size in bytes. The
 * file is there when it is whole, and every page of it has been looked at. Fails with BackupRefused.
 */
export async function backUp(path: string, target: string): Promise<number> {
  if (existsSync(target)) throw new BackupRefused(`${target} is there already, and is not overwritten.`)
  const partial = `${target}.partial`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (cause) {
    throw new BackupRefused(`${partial} cannot be made: ${(cause as Error).message}.`, { cause })
  }
  // Whatever went wrong, half a copy helps nobody.
  try {
    await copy(path, partial)
    requireSound(partial)
    renameSync(partial, target)
    return statSync(target).size
  } catch (cause) {
    rmSync(partial, { force: true })
    if (cause instanceof BackupRefused) throw cause
    throw new BackupRefused(`${path} cannot be copied to ${target}: ${(cause as Error).message}.`, { cause })
  }
}

async function copy(path: string, partial: string): Promise<void> {
  const source = new Database(path, { readonly: true })
  try {
    // Without a transaction, SQLite would begin again whenever somebody has written.
    source.exec('begin; select 1 from sqlite_schema limit 1')
    await source.backup(partial)
  } finally {
    source.close()
  }
}

function requireSound(partial: string): void {
  const copy = new Database(partial)
  try {
    // One file, whoever copies it further.
    copy.pragma('journal_mode = delete')
    const verdict = copy.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new BackupRefused(`The database is damaged, and so would be its copy: ${String(verdict)}.`)
  } finally {
    copy.close()
  }
}
