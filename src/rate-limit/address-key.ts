// Normalises addresses for counting: an IPv4 address in any form, or an IPv6 /64. (contract 8.3.3)

import ipaddr from 'ipaddr.js'

/**
 * Returns `192.0.2.1` for it and for `::ffff:192.0.2.1`, `2001:db8:0:1::/64` for every address in it, and any other text unchanged.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
