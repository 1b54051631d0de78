// What counts as one address: an IPv4 address, however it is written, or an IPv6 /64. (contract 8.3.3)

import ipaddr from 'ipaddr.js'

/** IPv6 texts whose keys are remembered; past it all are forgotten, which costs a parse each. */
const rememberedMax = 10_000
const cache = new Map<string, string>()

/**
 * The subject under which an address is counted: `192.0.2.1` for it and for `::ffff:192.0.2.1`, `2001:db8:0:1::/64`
 * for every address in it. A text that is no address is a subject of its own.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const cachedKey = cache.get(address)
  if (cachedKey !== undefined) return cachedKey
  const key = parseKey(address)
  if (cache.size >= rememberedMax) cache.clear()
  cache.set(address, key)
  return key
}

function parseKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
