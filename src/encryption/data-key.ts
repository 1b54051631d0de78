// Reads the keys of DATA_KEY, and creates development's own.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyBytes } from './data-cipher.ts'

export type DataKeys = readonly [Buffer, ...Buffer[]]

/** Null unless each is 32 bytes in base64 or hex. */
export function readDataKeys(text: string): DataKeys | null {
  const keys = text.split(',').map((each) => keyIn(each.trim()))
  return keys.includes(null) ? null : (keys as unknown as DataKeys)
}

function keyIn(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}

export const makeDataKey = (): Buffer => randomBytes(keyBytes)

/** Null if the file is missing. */
export function readDataKey(path: string): DataKeys | null {
  if (!existsSync(path)) return null
  const keys = readDataKeys(readFileSync(path, 'utf8').trim())
  if (keys === null) throw new Error(`The file ${path} holds no key of 32 bytes: put the key back that it held.`)
  return keys
}

/** Creates a key file readable by its owner only. Concurrent processes get the same key. */
export function keepDataKey(path: string): DataKeys {
  writeKey(path)
  return readDataKey(path)!
}

function writeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${makeDataKey().toString('base64')}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, path)
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
