// Extends the `Vary` header.

import type { Reply } from './exchange.ts'

export function varyBy<R extends Reply>(reply: R, header: string): R {
  const vary = reply.headers['Vary']
  const names = vary === undefined ? [] : typeof vary === 'string' ? vary.split(/[ ,]+/) : vary
  if (names.includes(header) || names.includes('*')) return reply
  return { ...reply, headers: { ...reply.headers, Vary: [...names, header].join(', ') } }
}
