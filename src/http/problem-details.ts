// Failures as problems of RFC 9457, for clients that prefer them to the envelope. (contract 7.2.10)

import { http } from '../dependency/node-http.ts'
import type { Reply } from './message/exchange.ts'
import { qualityOf } from './message/negotiate.ts'

const problemType = 'application/problem+json'

/** The envelope's other members become members of the problem. GraphQL has errors of its own. */
export function asProblem<R extends Reply>(reply: R, accept: string | undefined): R {
  if (accept === undefined || !accept.includes('problem') || typeof reply.body !== 'string') return reply
  if (qualityOf(problemType, accept) <= qualityOf('application/json', accept)) return reply
  const { error } = JSON.parse(reply.body) as { readonly error?: { readonly message: string } }
  if (error === undefined) return reply
  const { message, ...members } = error
  const { status, headers } = reply
  const problem = { type: 'about:blank', title: http.STATUS_CODES[status], status, detail: message, ...members }
  return { ...reply, headers: { ...headers, 'Content-Type': problemType }, body: JSON.stringify(problem) }
}
