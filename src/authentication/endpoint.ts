// What an endpoint of /auth is, and the answers that several of them give. (contract 4.12)

import type { Exchange, Reply } from '../http/message/exchange.ts'
import type { Origin } from './account/security-events.ts'
import type { TokenPair } from './session/sign-in.ts'

/** Each counts in a bucket, and fails with RATE_LIMIT_EXCEEDED. */
export interface EndpointLimits {
  /** A mail to this address. */
  takeMail(email: string): Promise<void> | undefined
  /** A step of signing in, if the path does not count it already. (contract 5.13.4) */
  takeStep(step: 'login' | 'second-step'): Promise<void> | undefined
}
export type AuthEndpoint = (exchange: Exchange, limits: EndpointLimits) => Promise<Reply> | Reply
export interface BrowserEndpoints {
  readonly GET: Readonly<Record<string, AuthEndpoint>>
  readonly POST: Readonly<Record<string, AuthEndpoint>>
}
/** How tokens travel: in the body, or the refresh token in a cookie. */
export type AnswerTokens = (tokens: TokenPair, more?: Readonly<Record<string, unknown>>) => Reply

export const noStore = { 'Cache-Control': 'no-store' }
export const emptyReply: Reply = { status: 200, headers: noStore, body: '{}' }
export const jsonReply = (body: object): Reply => ({ status: 200, headers: noStore, body: JSON.stringify(body) })
export const acceptedReply: Reply = { ...emptyReply, status: 202 }
export const originOf = ({ headers, address, requestId }: Exchange): Origin => ({
  ip: address,
  userAgent: headers['user-agent'] ?? '',
  requestId,
})
