// The keys that DATA_KEY holds, and the one that development makes for itself.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyBytes } from './data-cipher.ts'

export type DataKeys = readonly [Buffer, ...Buffer[]]

/** Null where one of them is not 32 bytes, in base64 or hex. */
export function readDataKeys(text: string): DataKeys | null {
  const keys = text.split(',').map((each) => keyIn(each.trim()))
  return keys.includes(null) ? null : (keys as unknown as DataKeys)
}

function keyIn(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}

export const makeDataKey = (): Buffer => randomBytes(keyBytes)

/** The key in this file, which only its owner reads; made where it is missing. Of several processes that make it, one wins. */
export function keepDataKey(path: string): { readonly keys: DataKeys; readonly isNew: boolean } {
  const isNew = !existsSync(path) && writeKey(path)
  const keys = readDataKeys(readFileSync(path, 'utf8').trim())
  if (keys === null) throw new Error(`The file ${path} holds no key of 32 bytes: put the key back that it held.`)
  return { keys, isNew }
}

/** False where another process was faster. */
function writeKey(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${makeDataKey().toString('base64')}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft)
  }
}
