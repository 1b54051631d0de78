// The endpoints of authenticator apps and recovery codes. (contract 5.14)

import type { Exchange } from '../../../http/message/exchange.ts'
import type { Json } from '../../../json/json.ts'
import type { Limits } from '../../../limits.ts'
import type { Actor } from '../../../resource/actor.ts'
import { type AnswerTokens, type AuthEndpoint, noStore, originOf } from '../../endpoint.ts'
import type { Identify } from '../../identify.ts'
import { readTexts } from '../../session/read-texts.ts'
import type { OpenChallengeBy } from '../login/challenge.ts'
import type { Attempt } from '../login/proof.ts'
import { requireFreshSession } from '../session-caller.ts'
import type { Adder } from './add-method.ts'
import type { Totp } from './totp.ts'

export interface FactorEndpointDependencies {
  readonly identify: Identify<Actor | null>
  readonly openChallenge: OpenChallengeBy
  readonly totp: Totp
  readonly wakeMails: () => void
  readonly limits: Pick<Limits, 'authBodyBytes'>
}

export function createFactorEndpoints(
  { identify, openChallenge, totp, wakeMails, limits }: FactorEndpointDependencies,
  answer: AnswerTokens,
): Readonly<Record<string, AuthEndpoint>> {
  const actorOf = async (exchange: Exchange) => identify(exchange.headers, exchange.now, exchange)
  const ok = (words: object) => ({ status: 200, headers: noStore, body: JSON.stringify(words) })
  return {
    async totp(exchange, { takeStep }) {
      const sent = await exchange.json(limits.authBodyBytes)
      const names = (['challenge', 'code'] as const).filter((name) => has(sent, name))
      const { challenge, code } = readTexts(sent, names) as { readonly challenge?: string; readonly code?: string }
      const attempt: Attempt = { origin: originOf(exchange), now: exchange.now, session: null }
      if (challenge !== undefined) await takeStep('second-step')
      const adder: Adder =
        challenge === undefined
          ? { session: requireFreshSession(await actorOf(exchange), exchange.now), challenge: null }
          : { session: null, challenge: await openChallenge(challenge, attempt) }
      if (code === undefined) return ok(await totp.begin(adder, exchange.now))
      const { recoveryCodes, tokens } = await totp.confirm(adder, code, attempt)
      wakeMails()
      const words = { recovery_codes: recoveryCodes }
      return tokens === null ? ok(words) : answer(tokens, words)
    },
    async 'recovery-codes'(exchange) {
      const session = requireFreshSession(await actorOf(exchange), exchange.now)
      readTexts(await exchange.json(limits.authBodyBytes), [])
      const attempt: Attempt = { origin: originOf(exchange), now: exchange.now, session }
      const codes = await totp.renewRecoveryCodes(session, attempt)
      wakeMails()
      return ok({ recovery_codes: codes })
    },
  }
}

const has = (body: Json, name: string): boolean =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
