// Caching and CORS headers of a service whose rules test access codes. (contract 10.1.16)

import type { Exchange, Reply } from './message/exchange.ts'
import type { RequestHeader } from './message/headers.ts'
import { varyBy } from './message/vary.ts'

const header = 'X-Access-Code' satisfies RequestHeader
const allowed = 'Access-Control-Allow-Headers'

/** Adds `Vary`; the reply is private if the request has the header. */
export function withAccessCode(reply: Reply, { headers }: Pick<Exchange, 'headers'>): Reply {
  const varying = varyBy(reply, header)
  const mayBeSent = varying.headers[allowed]
  const added = {
    ...(typeof mayBeSent === 'string' ? { [allowed]: `${mayBeSent}, ${header}` } : {}),
    ...(headers['x-access-code'] === undefined ? {} : { 'Cache-Control': 'private, no-store' }),
  }
  return { ...varying, headers: { ...varying.headers, ...added } }
}
