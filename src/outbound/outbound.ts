// Guards requests to addresses from outside: checks every address of the name and connects to one that it checked. Follows no
// redirect, knows no proxy, limits time and size. (contract 15.1)

import { Resolver } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { http } from '../dependency/node-http.ts'
import type { Limits } from '../limits.ts'
import type { AddressRule } from './address-rule.ts'

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time limit of the whole request, lookup included. */
  readonly timeoutMs: number
  /** Of the answer's body, no more is read. */
  readonly bodyBytes: number
  readonly signal?: AbortSignal
}
export interface OutboundAnswer {
  readonly status: number
  readonly body: Buffer
  /** False if it came from an address that only `OUTBOUND` or development allows. */
  readonly isPublic: boolean
}

export interface Outbound {
  /** Why no request can go there, before a lookup; null if one may. */
  refusal(url: string): string | null
  /** Sends it by POST. Rejects with an Error whose message is the reason. Redirects are answers like any other. */
  send(request: OutboundRequest): Promise<OutboundAnswer>
}
export interface OutboundOptions {
  readonly rule: AddressRule
  /** Settles when the signal aborts. */
  readonly resolve?: (name: string, signal: AbortSignal) => Promise<readonly string[]>
  /** Authorities trusted in place of Node's. */
  readonly authorities?: readonly string[] | undefined
  readonly limits: Pick<Limits, 'outboundHeaderBytes'>
}

/** The reason of a refusal or a failed request. */
export class OutboundError extends Error {}

export function createOutbound({ rule, resolve = resolveName, authorities, limits }: OutboundOptions): Outbound {
  function requireAddress(address: string, { protocol }: URL): void {
    const judgement = rule.judge(address)
    if (judgement === null) throw new OutboundError('The address is not public.')
    if (protocol === 'http:' && !judgement.allowsHttp) throw new OutboundError('The address must begin with https:.')
  }
  async function addressesOf(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    const host = hostOf(url)
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
    signal.throwIfAborted()
    if (addresses.length === 0) throw new OutboundError('The name has no address.')
    // One bad address refuses the name: the network chooses among them.
    for (const address of addresses) requireAddress(address, url)
    return addresses
  }
  return {
    refusal(text) {
      try {
        const url = readUrl(text)
        const host = hostOf(url)
        if (isIP(host) !== 0) requireAddress(host, url)
        return null
      } catch (error) {
        return (error as Error).message
      }
    },
    async send(request) {
      const signal = AbortSignal.any([
        AbortSignal.timeout(request.timeoutMs),
        ...(request.signal ? [request.signal] : []),
      ])
      try {
        const url = readUrl(request.url)
        const addresses = await addressesOf(url, signal)
        const options: RequestOptions = {
          method: 'POST',
          headers: { ...request.headers, 'accept-encoding': 'identity', connection: 'close' },
          // An agent of its own: the global one may use a proxy of the environment.
          agent: false,
          lookup: lookupOf(addresses),
          maxHeaderSize: limits.outboundHeaderBytes,
          signal,
        }
        const tls = { rejectUnauthorized: true, ...(authorities === undefined ? {} : { ca: [...authorities] }) }
        const sent = url.protocol === 'https:' ? requestTls(url, { ...options, ...tls }) : http.request(url, options)
        const answer = await answerTo(sent, request, (address) => rule.judge(address)?.isPublic === true)
        // Without a length, a body that the time limit ends looks complete.
        signal.throwIfAborted()
        return answer
      } catch (error) {
        throw reasonOf(signal.aborted ? signal.reason : error, request)
      }
    },
  }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new OutboundError('The address must begin with https:.')
  if (url.username !== '' || url.password !== '') throw new OutboundError('The address must not hold a password.')
  return url
}

/** `URL` has brought every spelling of a literal address to its usual form. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Hands over the checked addresses, so that no second lookup can answer otherwise. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all = false }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }

/** c-ares, as `dns.lookup` would occupy the threads that hash passwords. */
async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

async function answerTo(
  sent: ClientRequest,
  { body, bodyBytes }: OutboundRequest,
  isPublic: (address: string) => boolean,
): Promise<OutboundAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.on('response', resolve).on('error', reject)
  // An informational answer that never ends is limited by time; an upgrade is no answer.
  sent.on('upgrade', () => reject(new OutboundError('The answer is no HTTP response.')))
  sent.end(body)
  try {
    const response = await promise
    const address = response.socket.remoteAddress ?? ''
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes >= bodyBytes) break
    }
    return {
      status: response.statusCode ?? 0,
      body: Buffer.concat(chunks).subarray(0, bodyBytes),
      isPublic: isPublic(address),
    }
  } finally {
    sent.destroy()
  }
}

/** Owners of webhooks read these: no internal addresses, no stack. */
function reasonOf(error: unknown, { timeoutMs }: OutboundRequest): OutboundError {
  if (error instanceof OutboundError) return error
  const { name = '', code = '' } = error as { readonly name?: string; readonly code?: string }
  if (name === 'TimeoutError') return new OutboundError(`No answer within ${timeoutMs} milliseconds.`, { cause: error })
  if (/^HPE_/.test(code)) return new OutboundError('The answer is no HTTP response.', { cause: error })
  if (/CERT|SIGNED|TLS|SSL|EPROTO/.test(code))
    return new OutboundError('TLS failed: the certificate or the protocol is not valid.', { cause: error })
  return new OutboundError(networkReasons[code] ?? 'The connection failed.', { cause: error })
}
const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer.',
  EHOSTUNREACH: 'The address cannot be reached.',
  ENETUNREACH: 'The address cannot be reached.',
}
