// Finds the client's address behind trusted proxies.

import ipaddr from 'ipaddr.js'
import { createBoundedCache } from '../../cache/bounded-cache.ts'
import type { Limits } from '../../limits.ts'

export type TrustProxy = (address: string) => boolean

/**
 * Addresses and CIDR ranges separated by commas, such as `10.0.0.0/8, fd00::/8`; empty trusts none. Throws an Error that names
 * the variable. (contract 0.1.1)
 */
export function parseTrustProxy(text: string | undefined): TrustProxy {
  const ranges = (text ?? '')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
    .map(parseRange)
  if (ranges.length === 0) return () => false
  return (address) => {
    const parsed = parse(address)
    return (
      parsed !== null &&
      ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
    )
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

function parseRange(range: string): [network: Address, bits: number] {
  const [address, bits, ...rest] = range.split('/')
  const network = parse(address!)
  const width = network?.kind() === 'ipv4' ? 32 : 128
  const isWhole = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width)
  if (network === null || !isWhole || rest.length > 0) {
    throw new Error(`TRUST_PROXY: "${range}" is neither an address nor a CIDR range such as 10.0.0.0/8.`)
  }
  return [network, bits === undefined ? width : Number(bits)]
}

/** Four decimal parts or IPv6 notation only, since parsers disagree on other forms. IPv4-mapped becomes IPv4, zones are removed. */
function parse(text: string): Address | null {
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(text)
  if (!isIpv4 && !ipaddr.IPv6.isValid(text)) return null
  const address = ipaddr.process(text)
  return address.kind() === 'ipv4' ? address : new ipaddr.IPv6((address as ipaddr.IPv6).parts)
}

export const canonicalAddress = (text: string): string | null => parse(text)?.toString() ?? null

export interface AddressOptions {
  readonly trustProxy: TrustProxy
  readonly limits: Pick<Limits, 'addressesCached' | 'addressCacheBytes' | 'proxyHops'>
  /** At the first X-Forwarded-For from an untrusted address. */
  readonly warn: (message: string) => void
}

/**
 * The right-most hop that is not a trusted proxy, in canonical form. A malformed hop ends the search at the proxy that reported
 * it. (contract 0.1.3)
 */
export function createAddressFinder({ trustProxy, limits, warn }: AddressOptions) {
  const hops = createBoundedCache<Hop | null>(limits.addressesCached, limits.addressCacheBytes)
  let hasWarned = false

  function hopOf(text: string): Hop | null {
    const cached = hops.get(text)
    if (cached !== undefined) return cached
    const address = canonicalAddress(text)
    const hop = address === null ? null : { address, isTrusted: trustProxy(address) }
    hops.set(text, hop, text.length + hopBytes)
    return hop
  }

  return (connectedFrom: string, forwardedFor: string | undefined): string => {
    const peer = hopOf(connectedFrom)
    if (peer === null) return connectedFrom
    if (forwardedFor === undefined) return peer.address
    if (peer.isTrusted) return firstUntrusted(peer, forwardedFor)
    if (!hasWarned) {
      hasWarned = true
      warn(`X-Forwarded-For arrived from ${peer.address}, which TRUST_PROXY does not name, and is ignored.`)
    }
    return peer.address
  }

  function firstUntrusted(peer: Hop, forwardedFor: string): string {
    let nearest = peer
    const texts = forwardedFor.split(',').slice(-limits.proxyHops)
    for (let index = texts.length - 1; index >= 0; index--) {
      const hop = hopOf(withoutPort(texts[index]!.trim()))
      if (hop === null) break
      nearest = hop
      if (!hop.isTrusted) break
    }
    return nearest.address
  }
}

const hopBytes = 150

interface Hop {
  readonly address: string
  readonly isTrusted: boolean
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[([^\]]*)\](?::\d{1,5})?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, '$1')
}
