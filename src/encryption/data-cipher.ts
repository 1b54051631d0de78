// Encrypts values against readers of the database and its backups; keys are stored elsewhere.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

export interface DataCipher {
  /** `about` identifies field and record: a value copied elsewhere cannot be decrypted. */
  encrypt(text: string, about: string): string
  /** Throws if none of the keys, or another `about`, was used. */
  decrypt(stored: string, about: string): string
}

export const keyBytes = 32
const [nonceBytes, tagBytes] = [12, 16]

/** The first key encrypts, all decrypt. AES-256-GCM, stored as `<key id>.<nonce, text and tag>`. */
export function createDataCipher(keys: readonly [Buffer, ...Buffer[]]): DataCipher {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]))
  const [first] = keys
  const firstId = keyIdOf(first)
  return {
    encrypt(text, about) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(about))
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${firstId}.${bytes.toString('base64url')}`
    },
    decrypt(stored, about) {
      const [id = '', payload = ''] = stored.split('.')
      const key = byId.get(id)
      // The value may be a plain secret and must not be logged.
      if (!isKeyId.test(id)) throw new Error(`The ${about} is not encrypted.`)
      if (key === undefined)
        throw new Error(`DATA_KEY lacks the key ${id}, with which ${about} was encrypted: set it behind the first.`)
      const bytes = Buffer.from(payload, 'base64url')
      const end = bytes.length - tagBytes
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(end))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString('utf8')
    },
  }
}

export const keyIdChars = 8
const isKeyId = /^[0-9a-f]{8}$/
/** Identifies a key without revealing it; the prefix of encrypted values. */
export const keyIdOf = (key: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from('duet data key '), key]), 'hex').slice(0, keyIdChars)
