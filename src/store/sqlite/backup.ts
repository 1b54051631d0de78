// Copies a SQLite file as of one moment, while others write to it.

import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'

/** The reason, for the operator. */
export class BackupRefused extends Error {}

/**
 * Copies the database to a new file that only its owner can read; returns its size in bytes. The file appears when it is complete
 * and every page has been checked. Fails with BackupRefused.
 */
export async function backUp(path: string, target: string): Promise<number> {
  if (existsSync(target)) throw new BackupRefused(`${target} is there already, and is not overwritten.`)
  const partial = `${target}.partial`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (cause) {
    throw new BackupRefused(`${partial} cannot be made: ${(cause as Error).message}.`, { cause })
  }
  // Removes an incomplete copy.
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
    // Without a transaction, SQLite would restart after each write.
    source.exec('begin; select 1 from sqlite_schema limit 1')
    await source.backup(partial)
  } finally {
    source.close()
  }
}

function requireSound(partial: string): void {
  const copy = new Database(partial)
  try {
    // Without a separate log, the copy is one file.
    copy.pragma('journal_mode = delete')
    const verdict = copy.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new BackupRefused(`The database is damaged, and so would be its copy: ${String(verdict)}.`)
  } finally {
    copy.close()
  }
}
