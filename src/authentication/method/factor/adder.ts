// Who adds a sign-in method: a recent session, or an account whose sign-in requires one. (contract 5.13.6, 5.13.8)

import { Failure } from '../../../failure/failure.ts'
import type { Exchange } from '../../../http/message/exchange.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { EndpointLimits } from '../../endpoint.ts'
import type { Parts } from '../../parts.ts'
import type { OpenChallenge, OpenChallengeBy } from '../login/challenge.ts'
import { attemptOf } from '../login/proof.ts'
import { requireFreshSession, type SessionCaller } from '../session-caller.ts'
import type { SecondFactors } from './second-factors.ts'

export type Adder =
  | { readonly session: SessionCaller; readonly challenge: null }
  | { readonly session: null; readonly challenge: OpenChallenge }

export const userOf = ({ session, challenge }: Adder): string => session?.userId ?? challenge!.account.id

export interface AdderDependencies extends Pick<Parts, 'accounts' | 'sessions'> {
  readonly secondFactors: SecondFactors
}

/** Locks the account. Fails with INVALID_TOKEN if it or the session has ended, or if no setup is required. */
export function* requireAdder(
  adder: Adder,
  { accounts, sessions, secondFactors }: AdderDependencies,
): Program<Account> {
  const account = yield* accounts.lock(userOf(adder))
  if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
  // With a challenge, an account that has a factor proves that one, and adds none in its place.
  const mayAdd =
    adder.session === null
      ? (yield* secondFactors.owedBy(account)).includes('setup')
      : yield* sessions.isOpen(adder.session.sessionId)
  if (!mayAdd) throw new Failure('INVALID_TOKEN')
  return account
}

/** A challenge counts as a second step. Fails as `OpenChallengeBy`, or as `requireFreshSession` without a challenge. */
export type FindAdder = (exchange: Exchange, challenge: string | undefined, limits: EndpointLimits) => Promise<Adder>

export const createFindAdder =
  ({ identify }: Pick<Parts, 'identify'>, openChallenge: OpenChallengeBy): FindAdder =>
  async (exchange, challenge, { takeStep }) => {
    const { headers, now } = exchange
    if (challenge === undefined)
      return { session: requireFreshSession(await identify(headers, now, exchange), now), challenge: null }
    await takeStep('second-step')
    return { session: null, challenge: await openChallenge(challenge, attemptOf(exchange)) }
  }
