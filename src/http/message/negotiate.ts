// Content negotiation: which of the things we can send the client likes best. (RFC 9110 12.5)

/**
 * Chooses among offered media types by the `Accept` header: the highest q wins, at equal q the one listed first. Of the
 * types that only a wildcard covers, the first offered is meant. Null where the header is absent or accepts none of them:
 * `Accept` never fails, the caller has a default. (contract 4.10.7, 7.3.6)
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

const covers = (range: string, type: string): boolean =>
  range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

export type Encoding = 'br' | 'gzip'

/** Chooses the content encoding that the client likes best, br before gzip at equal q; null is none. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | null {
  if (acceptEncoding === undefined) return null
  const ranges = rangesOf(acceptEncoding)
  const qualityOf = (encoding: string): number | undefined => ranges.find(({ name }) => name === encoding)?.quality
  const others = qualityOf('*') ?? 0
  const br = qualityOf('br') ?? others
  const gzip = qualityOf('gzip') ?? qualityOf('x-gzip') ?? others
  const best = Math.max(br, gzip)
  // Sending it as it is stays acceptable unless refused, but is preferred only where the header says so.
  if (best === 0 || best < (qualityOf('identity') ?? 0)) return null
  return br === best ? 'br' : 'gzip'
}

interface Range {
  readonly name: string
  readonly quality: number
}

const qualityForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** The members of a list with their q, 1 where there is none. A member with a malformed q is overlooked. */
function rangesOf(header: string): readonly Range[] {
  const ranges: Range[] = []
  for (const member of header.toLowerCase().split(',')) {
    const [name, ...parameters] = member.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    if (name !== '' && qualityForm.test(quality)) ranges.push({ name: name!, quality: Number(quality) })
  }
  return ranges
}
