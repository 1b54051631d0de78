// Encrypts what nobody shall read who has the database, a copy or a backup of it, and nothing else: its keys are kept elsewhere.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

export interface DataCipher {
  /** `about` says what the text is and of which record: stored in another place, it cannot be decrypted. */
  encrypt(text: string, about: string): string
  /** Throws where it was encrypted with none of the keys, or is not about that. */
  decrypt(stored: string, about: string): string
}

export const keyBytes = 32
const [nonceBytes, tagBytes] = [12, 16]

/** The first key encrypts, all of them decrypt. AES-256-GCM, as `<id of the key>.<nonce, text and tag>`. */
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
      // It may be a secret in clear: no word of it belongs into a log.
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
/** Tells keys apart, and nothing of them; what is encrypted begins with it. */
export const keyIdOf = (key: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from('duet data key '), key]), 'hex').slice(0, keyIdChars)
