// The header that makes a POST repeatable, under either of its names. (contract 4.7.2)

import type { Detail } from '../failure/failure.ts'
import type { Exchange } from '../http/message/exchange.ts'
import type { Limits } from '../limits.ts'

const names = ['X-Idempotency-Key', 'Idempotency-Key'] as const

/** The key, or undefined where none was sent. Adds to `problems` what is malformed, or two keys that differ. */
export function readIdempotencyKey(
  headers: Exchange['headers'],
  { idempotencyKeyLength }: Pick<Limits, 'idempotencyKeyLength'>,
  problems: Detail[],
): string | undefined {
  const [key, other] = names.map((name) => headers[name.toLowerCase()] as string | undefined)
  if (key !== undefined && other !== undefined && key !== other) {
    problems.push({ field: names[0], message: `Differs from ${names[1]}.` })
  }
  for (const [index, each] of [key, other].entries()) {
    if (each === undefined || (/^[\x21-\x7e]+$/.test(each) && each.length <= idempotencyKeyLength)) continue
    problems.push({ field: names[index]!, message: `Must be 1 to ${idempotencyKeyLength} visible ASCII characters.` })
  }
  return key ?? other
}
