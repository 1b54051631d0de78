// Who may send to a route that knows its callers by their signature: payment providers and others that send webhooks.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** What has to be judged. */
export interface SignedMessage {
  /** The body as it was sent. */
  readonly bytes: Uint8Array
  /** The headers that the signature names, in lower case; undefined where one was not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** By the clock of the service. */
  readonly now: Date
}
/** How a sender proves that a message is its own. */
export interface Signature {
  /** The headers that `verify` reads, such as `stripe-signature`. It is handed no others. */
  readonly headers: readonly string[]
  /** Whether the message is the sender's own; 401 otherwise. Compare in constant time, with `timingSafeEqual` of node:crypto. */
  readonly verify: (message: SignedMessage) => boolean | Promise<boolean>
  /** What contradicts itself in it, as `standardWebhooks` finds it; told at the start. */
  readonly contradictions?: readonly string[]
}

const [idHeader, timestampHeader, signatureHeader] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Messages signed as Standard Webhooks say: `v1` signatures by HMAC-SHA256 with a secret such as `whsec_…`. Give two secrets while
 * one replaces the other. A message is refused whose timestamp is more than five minutes from the clock of the service.
 */
export function standardWebhooks(...secrets: readonly string[]): Signature {
  const keys = secrets.map(keyOf)
  return {
    headers: [idHeader, timestampHeader, signatureHeader],
    contradictions: contradictionsOf(keys),
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

/** One signature of any of the keys is enough; other versions of signatures may stand beside it. */
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

const keyOf = (secret: string): Buffer => Buffer.from(String(secret).replace(/^whsec_/, ''), 'base64')

/** None tells the secret. */
function contradictionsOf(keys: readonly Buffer[]): readonly string[] {
  if (keys.length === 0) return ['its standardWebhooks has no secret; give it one such as whsec_…']
  return keys.every(({ length }) => length >= 24 && length <= 64)
    ? []
    : ['a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_…']
}
