// The headers that a route reads: those that it declares, and never one that the service itself lives by.

import type { IncomingHttpHeaders } from 'node:http'
import { capitalised, kebab } from '../../resource/naming/casing.ts'

/** `stripeSignature` → `Stripe-Signature`. */
export const headerName = (field: string): string => kebab(field).split('-').map(capitalised).join('-')

/** Credentials, which no code of a route is handed, and what the service reads in its place. */
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

/** As it was sent; several of one name are one, with commas between them. */
export function findHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
