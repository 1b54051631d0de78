// The headers that a route may read: declared and not reserved.

import type { IncomingHttpHeaders } from 'node:http'
import { capitalised, kebab } from '../resource/naming/casing.ts'

/** `stripeSignature` → `Stripe-Signature`. */
export const headerName = (field: string): string => kebab(field).split('-').map(capitalised).join('-')

/** Credentials, which are kept from routes, and headers that the service reads itself. */
export const reservedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
  'x-access-code',
  'x-api-key',
  'x-idempotency-key',
  'x-request-id',
])

/** Repeated headers are joined with commas. */
export function findHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
