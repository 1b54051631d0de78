// Verifies messages of webhooks, for the receivers of them. (contract 15.2.5)

/** A message of a webhook, once it is verified. */
export interface WebhookMessage {
  /** The same at every attempt: handle each id once. */
  readonly id: string
  /** The name of the event, such as `orderPaid`, or `ping`. */
  readonly type: string
  /** When the event happened. */
  readonly timestamp: string
  /** As `GET` returns it to the owner, in the webhook's version; null if it could not be read. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** The fields before, for an event about changes. */
  readonly previous_attributes?: Readonly<Record<string, unknown>>
}
/** A `Request`, or headers and the raw body of any server. The body must be as it was sent: not parsed and printed again. */
export type WebhookRequest =
  | Pick<Request, 'headers' | 'text'>
  | { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>; readonly body: string }

const toleranceSeconds = 300

/**
 * Returns the message if one of these secrets signed it, at most five minutes ago; pass both during a rotation. Rejects with an
 * Error otherwise: answer 400, and handle nothing.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  request: WebhookRequest,
  { now = new Date() }: { readonly now?: Date } = {},
): Promise<WebhookMessage> {
  const body = 'text' in request ? await request.text() : request.body
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => header(request, `webhook-${name}`))
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new Error('The request lacks the headers webhook-id, webhook-timestamp or webhook-signature.')
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - now.getTime() / 1000) > toleranceSeconds)
    throw new Error('The message is older or newer than five minutes.')
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const keys = await Promise.all([secret].flat().map(keyOf))
  for (const signature of signatures.split(' ').flatMap(bytesOf))
    for (const key of keys)
      if (await crypto.subtle.verify('HMAC', key, signature, text)) return { id, ...JSON.parse(body) }
  throw new Error('No signature of the message is by this secret.')
}

function header({ headers }: WebhookRequest, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : (headers as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : undefined
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const key = decode(secret.replace(/^whsec_/, ''))
  if (key === null) throw new Error('The secret is not one of a webhook: it begins with whsec_.')
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Signatures of other versions are ignored. */
function bytesOf(signature: string): readonly Uint8Array<ArrayBuffer>[] {
  const bytes = signature.startsWith('v1,') ? decode(signature.slice(3)) : null
  return bytes === null ? [] : [bytes]
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
  } catch {
    return null
  }
}
