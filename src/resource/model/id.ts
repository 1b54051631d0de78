// Identifiers: a prefix and a ULID in Crockford's base32. (contract 2.1.1)

import { randomFillSync } from 'node:crypto'

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const randomBytes = Buffer.alloc(4_096)
let used = randomBytes.length

/** 48 bits of milliseconds, then 80 random bits. Sorts by time only roughly; rely on `createdAt`. */
export function makeId(prefix: string, now: Date): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes)
    used = 0
  }
  let time = now.getTime()
  let text = ''
  for (let at = 0; at < 10; at++) {
    text = digits[time % 32] + text
    time = Math.floor(time / 32)
  }
  for (const end = used + 16; used < end; used++) text += digits[randomBytes[used]! & 31]
  return `${prefix}_${text}`
}

const form = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
export const isId = (prefix: string, text: string): boolean =>
  text.length === prefix.length + 27 && text.startsWith(`${prefix}_`) && form.test(text.slice(prefix.length + 1))
