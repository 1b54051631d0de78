// Which addresses requests may go to: public ones, and those that `OUTBOUND` adds. (contract 15.1.1)

import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [network: Address, bits: number]

export interface AddressRule {
  /** Whether requests may go to this address, and whether without TLS. Null: not at all. */
  judge(address: string): { readonly isPublic: boolean; readonly allowsHttp: boolean } | null
}
export interface AddressRuleOptions {
  /** `OUTBOUND`: null, `any`, or ranges between commas. */
  readonly outbound: string | null
  readonly production: boolean
}

/** Throws an Error that names the variable for an invalid range. (contract 0.1.1) */
export function createAddressRule({ outbound, production }: AddressRuleOptions): AddressRule {
  const isAny = outbound === 'any'
  const own = (isAny ? '' : (outbound ?? ''))
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
    .map(parseRange)
  const ranges = production ? own : [...own, ...['127.0.0.0/8', '::1/128'].map(parseRange)]
  return {
    judge(text) {
      if (!ipaddr.isValid(text)) return null
      const address = plain(ipaddr.process(text))
      const isIn = ([network, bits]: Range) => network.kind() === address.kind() && address.match(network, bits)
      const isNamed = isAny || ranges.some(isIn)
      const isPublic = isPublicAddress(text)
      return isNamed || isPublic ? { isPublic, allowsHttp: isNamed || !production } : null
    },
  }
}

/**
 * Not of this machine, a private network, a cloud's metadata service or a special use. An IPv4 address inside of IPv6 (mapped, or
 * translated by NAT64) counts as itself.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = plain(ipaddr.process(text))
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}

/** The services of clouds that describe a machine, at addresses that look public. */
const metadata: ReadonlySet<string> = new Set(['168.63.129.16'])
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

function plain(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  return address.match(nat64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : new ipaddr.IPv6(address.parts)
}

function parseRange(range: string): Range {
  const [address = ''] = range.split('/', 1)
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  const text = range.includes('/') ? range : `${range}/${range.includes(':') ? 128 : 32}`
  if (!isAddress || !ipaddr.isValidCIDR(text))
    throw new Error(`OUTBOUND must be any, or CIDR ranges between commas such as 10.0.0.0/8; "${range}" is none.`)
  return ipaddr.parseCIDR(text)
}
