// Event ids for clients: positions in the outbox, encrypted and authenticated, because readable positions would reveal the activity
// of the whole service. (contract 6.3.4)

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Position } from './outbox.ts'

export interface ResumeIds {
  /** The same on every instance and delivery. */
  ofEvent(position: Position): string
  /** Different each time, so that two ids do not reveal whether the position moved. */
  ofProgress(position: Position): string
  /** Null for any other text. */
  read(id: string): Position | null
}

const [nonceBytes, positionBytes, tagBytes] = [12, 16, 16]
const idBytes = nonceBytes + positionBytes + tagBytes
const idPattern = new RegExp(`^[\\w-]{${Math.ceil((idBytes * 4) / 3)}}$`)

/** `secret` is the installation's. Another `epoch` gives other keys, which invalidates ids from before a restore. */
export function createResumeIds(secret: string, epoch: string): ResumeIds {
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), epoch, `duet event id ${purpose}`, 32))
  const [encryptionKey, nonceKey] = [keyFor('encryption'), keyFor('nonce')]
  // One event is sent to many subscribers.
  const idsOfEvents = new WeakMap<Position, string>()
  function encrypt(plain: Buffer, nonce: Buffer): string {
    const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }
  return {
    ofEvent(position) {
      const existingId = idsOfEvents.get(position)
      if (existingId !== undefined) return existingId
      const plain = toBytes(position)
      const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, nonceBytes)
      const id = encrypt(plain, nonce)
      idsOfEvents.set(position, id)
      return id
    },
    ofProgress: (position) => encrypt(toBytes(position), randomBytes(nonceBytes)),
    read(id) {
      if (!idPattern.test(id)) return null
      const bytes = Buffer.from(id, 'base64url')
      const end = nonceBytes + positionBytes
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(end))
      try {
        const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()])
        return { transaction: plain.readBigUInt64BE(0), number: plain.readBigUInt64BE(8) }
      } catch {
        return null
      }
    },
  }
}

function toBytes({ transaction, number }: Position): Buffer {
  const bytes = Buffer.allocUnsafe(positionBytes)
  bytes.writeBigUInt64BE(transaction, 0)
  bytes.writeBigUInt64BE(number, 8)
  return bytes
}
