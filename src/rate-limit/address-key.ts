// What counts as one address: an IPv4 address, however it is written, or an IPv6 /64. (contract 8.3.3)

import ipaddr from 'ipaddr.js'
import { createBoundedCache } from '../cache/bounded-cache.ts'
import type { Limits } from '../limits.ts'

export type AddressKeyLimits = Pick<Limits, 'addressesCached' | 'addressCacheBytes'>
/** Answers the subject under which an address is counted. */
export type AddressKey = (address: string) => string

/**
 * The subject under which an address is counted: `192.0.2.1` for it and for `::ffff:192.0.2.1`, `2001:db8:0:1::/64`
 * for every address in it. A text that is no address is a subject of its own.
 */
export function createAddressKey(limits: AddressKeyLimits): AddressKey {
  const keys = createBoundedCache<string>(limits.addressesCached, limits.addressCacheBytes)
  return (address) => {
    if (!address.includes(':')) return address
    const cachedKey = keys.get(address)
    if (cachedKey !== undefined) return cachedKey
    const key = parseKey(address)
    keys.set(address, key, address.length + key.length + entryBytes)
    return key
  }
}

/** About what an entry takes in memory beside its texts. */
const entryBytes = 150

function parseKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
