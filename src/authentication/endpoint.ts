// What an endpoint of /auth is, and the answers that several of them give. (contract 4.12)

import type { Exchange, Reply } from '../http/message/exchange.ts'
import type { Origin } from './account/security-events.ts'
import type { TokenPair } from './session/sign-in.ts'

/** Counts a password reset for this address. Fails with RATE_LIMIT_EXCEEDED. */
export type TakeForgotPassword = (email: string) => Promise<void> | undefined
export type AuthEndpoint = (exchange: Exchange, takeForgotPassword: TakeForgotPassword) => Promise<Reply> | Reply
/** How tokens travel: in the body, or the refresh token in a cookie. */
export type AnswerTokens = (tokens: TokenPair) => Reply

export const noStore = { 'Cache-Control': 'no-store' }
export const emptyReply: Reply = { status: 200, headers: noStore, body: '{}' }
export const acceptedReply: Reply = { ...emptyReply, status: 202 }
export const originOf = ({ headers, address, requestId }: Exchange): Origin => ({
  ip: address,
  userAgent: headers['user-agent'] ?? '',
  requestId,
})
