// Content negotiation. (RFC 9110 12.5)

/**
 * The offered type with the highest q in `Accept`; at equal q the first in the header. A wildcard selects the first offered type
 * that only it covers. Null if the header is absent or accepts none: the caller has a default. (contract 4.10.7, 7.3.6)
 */
export function negotiateMediaType<T extends string>(accept: string | undefined, offered: readonly T[]): T | null {
  if (accept === undefined) return null
  const ranges = rangesOf(accept)
  const names = new Set(ranges.map(({ name }) => name))
  let best: T | null = null
  let bestQuality = 0
  for (const { name, quality } of ranges) {
    const chosen = offered.find((type) => type === name || (covers(name, type) && !names.has(type)))
    if (chosen === undefined || quality <= bestQuality) continue
    best = chosen
    bestQuality = quality
  }
  return best
}

/** The q of a type in `Accept`, by the most specific range; 0 if none covers it. (RFC 9110 12.5.1) */
export function qualityOf(type: string, accept: string): number {
  const ranges = rangesOf(accept)
  const named = [type, type.replace(/\/.*/, '/*'), '*/*'].map((range) => ranges.find(({ name }) => name === range))
  return named.find((range) => range !== undefined)?.quality ?? 0
}

const covers = (range: string, type: string): boolean =>
  range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

export type Encoding = 'br' | 'gzip'

/** The preferred content encoding, br before gzip at equal q; null for none. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | null {
  if (acceptEncoding === undefined) return null
  const ranges = rangesOf(acceptEncoding)
  const qualityOf = (encoding: string): number | undefined => ranges.find(({ name }) => name === encoding)?.quality
  const others = qualityOf('*') ?? 0
  const br = qualityOf('br') ?? others
  const gzip = qualityOf('gzip') ?? qualityOf('x-gzip') ?? others
  const best = Math.max(br, gzip)
  // `identity` is acceptable unless refused, but preferred only if the header ranks it higher.
  if (best === 0 || best < (qualityOf('identity') ?? 0)) return null
  return br === best ? 'br' : 'gzip'
}

interface Range {
  readonly name: string
  readonly quality: number
}

const qualityForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Ignores members with a malformed q. */
function rangesOf(header: string): readonly Range[] {
  const ranges: Range[] = []
  for (const member of header.toLowerCase().split(',')) {
    const [name, ...parameters] = member.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    if (name !== '' && qualityForm.test(quality)) ranges.push({ name: name!, quality: Number(quality) })
  }
  return ranges
}
