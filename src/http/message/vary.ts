// Tells caches which request headers an answer depends on, without forgetting what the answer said already.

import type { Reply } from './exchange.ts'

/** The same reply, whose `Vary` also names this request header. */
export function varyBy<R extends Reply>(reply: R, header: string): R {
  const vary = reply.headers['Vary']
  const names = vary === undefined ? [] : typeof vary === 'string' ? vary.split(/[ ,]+/) : vary
  if (names.includes(header) || names.includes('*')) return reply
  return { ...reply, headers: { ...reply.headers, Vary: [...names, header].join(', ') } }
}
