// Authenticates callers by signature: payment providers and other senders of webhooks.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** The message to verify. */
export interface SignedMessage {
  readonly bytes: Uint8Array
  /** In lower case; undefined if not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly now: Date
}
/** How a sender signs its messages. */
export interface Signature {
  /** The headers for `verify`, such as `stripe-signature`. It gets no others. */
  readonly headers: readonly string[]
  /** False answers 401. Compare in constant time, with `timingSafeEqual` of node:crypto. */
  readonly verify: (message: SignedMessage) => boolean | Promise<boolean>
  readonly contradictions?: readonly string[]
}

const [idHeader, timestampHeader, signatureHeader] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Standard Webhooks: `v1` signatures by HMAC-SHA256 with a secret such as `whsec_…`. Pass two secrets during a rotation. Refuses
 * timestamps more than five minutes from the clock of the service.
 */
export function standardWebhooks(...secrets: readonly string[]): Signature {
  const all = secrets.map(keyOf)
  const keys = all.filter((key) => key !== null)
  return {
    headers: [idHeader, timestampHeader, signatureHeader],
    contradictions: contradictionsOf(all),
    verify({ bytes, headers, now }) {
      const { [idHeader]: id, [timestampHeader]: timestamp, [signatureHeader]: signatures } = headers
      if (id === undefined || timestamp === undefined || signatures === undefined) return false
      return isRecent(timestamp, now) && isSigned(`${id}.${timestamp}.`, bytes, signatures, keys)
    },
  }
}

const toleranceSeconds = 300

function isRecent(timestamp: string, now: Date): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(Number(timestamp) - Math.floor(now.getTime() / 1_000)) <= toleranceSeconds
}

/** One valid signature suffices; signatures of other versions are ignored. */
function isSigned(prefix: string, bytes: Uint8Array, signatures: string, keys: readonly Buffer[]): boolean {
  const expected = keys.map((key) => createHmac('sha256', key).update(prefix).update(bytes).digest())
  let isSame = false
  for (const each of signatures.split(' ')) {
    if (!each.startsWith('v1,')) continue
    const signature = Buffer.from(each.slice('v1,'.length), 'base64')
    for (const digest of expected) {
      if (signature.length === digest.length && timingSafeEqual(signature, digest)) isSame = true
    }
  }
  return isSame
}

/** Null unless the secret has 24 to 64 bytes: Node would decode `v1,whsec_…` in part, and no signature would match. */
function keyOf(secret: string): Buffer | null {
  const [, text] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? []
  if (text === undefined) return null
  const key = Buffer.from(text, 'base64')
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  return isWhole && key.length >= 24 && key.length <= 64 ? key : null
}

function contradictionsOf(keys: readonly (Buffer | null)[]): readonly string[] {
  if (keys.length === 0) return ['its standardWebhooks has no secret; give it one such as whsec_…']
  return keys.every((key) => key !== null)
    ? []
    : ['a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_…']
}
