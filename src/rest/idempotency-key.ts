// Under either of its names. (contract 4.7.2)

import type { Detail } from '../failure/failure.ts'
import type { Exchange } from '../http/message/exchange.ts'
import type { Limits } from '../limits.ts'

const names = ['X-Idempotency-Key', 'Idempotency-Key'] as const

/** Undefined if not sent. Adds to `problems` a malformed key, or two that differ. */
export function readIdempotencyKey(
  headers: Exchange['headers'],
  { idempotencyKeyLength }: Pick<Limits, 'idempotencyKeyLength'>,
  problems: Detail[],
): string | undefined {
  const key = headers['x-idempotency-key'] as string | undefined
  const other = unquoted(headers['idempotency-key'] as string | undefined)
  if (key !== undefined && other !== undefined && key !== other) {
    problems.push({ field: names[0], message: `Differs from ${names[1]}.` })
  }
  for (const [index, each] of [key, other].entries()) {
    if (each === undefined || (/^[\x21-\x7e]+$/.test(each) && each.length <= idempotencyKeyLength)) continue
    problems.push({ field: names[index]!, message: `Must be 1 to ${idempotencyKeyLength} visible ASCII characters.` })
  }
  return key ?? other
}

/** The content of a structured-field string; of a malformed one the empty text, which is no key. (RFC 9651 4.2.5) */
function unquoted(sent: string | undefined): string | undefined {
  if (sent === undefined || !sent.startsWith('"')) return sent
  const [, content] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(sent) ?? []
  return content?.replaceAll(/\\(.)/g, '$1') ?? ''
}
