// Finds who adds a method: by the challenge that was sent, or by the access token. (contract 5.13.6)

import type { Exchange } from '../../../http/message/exchange.ts'
import { type EndpointLimits, originOf } from '../../endpoint.ts'
import type { Parts } from '../../parts.ts'
import type { OpenChallengeBy } from '../login/challenge.ts'
import type { Attempt } from '../login/proof.ts'
import { requireFreshSession } from '../session-caller.ts'
import type { Adder } from './adder.ts'

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

export const attemptOf = (exchange: Exchange): Attempt => ({
  origin: originOf(exchange),
  now: exchange.now,
  session: null,
})
