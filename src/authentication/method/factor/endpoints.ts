// The endpoints of authenticator apps and recovery codes. (contract 5.14)

import { type AnswerTokens, type AuthEndpoint, jsonReply } from '../../endpoint.ts'
import type { Parts } from '../../parts.ts'
import { membersOf, readTexts } from '../../session/read-texts.ts'
import { attemptOf } from '../login/proof.ts'
import { requireFreshSession } from '../session-caller.ts'
import type { FindAdder } from './adder.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { Totp } from './totp.ts'

interface FactorEndpointDependencies extends Pick<Parts, 'identify' | 'wakeMails' | 'limits'> {
  readonly findAdder: FindAdder
  /** Null without authenticator apps. */
  readonly totp: Totp | null
  readonly renewRecoveryCodes: RecoveryCodes
}

/** POST endpoints by name. */
export function createFactorEndpoints(
  { identify, findAdder, totp, renewRecoveryCodes, wakeMails, limits }: FactorEndpointDependencies,
  answer: AnswerTokens,
): Readonly<Record<string, AuthEndpoint>> {
  const setUp =
    ({ begin, confirm }: Totp): AuthEndpoint =>
    async (exchange, counting) => {
      const sent = await exchange.json(limits.authBodyBytes)
      const names = (['challenge', 'code'] as const).filter((name) => Object.hasOwn(membersOf(sent) ?? {}, name))
      const { challenge, code } = readTexts(sent, names) as { readonly challenge?: string; readonly code?: string }
      const adder = await findAdder(exchange, challenge, counting)
      if (code === undefined) return jsonReply(await begin(adder, exchange.now))
      const { recoveryCodes, tokens } = await confirm(adder, code, attemptOf(exchange))
      wakeMails()
      const words = { recovery_codes: recoveryCodes }
      return tokens === null ? jsonReply(words) : answer(tokens, words)
    }
  return {
    ...(totp === null ? {} : { totp: setUp(totp) }),
    async 'recovery-codes'(exchange) {
      const actor = await identify(exchange.headers, exchange.now, exchange)
      const session = requireFreshSession(actor, exchange.now)
      readTexts(await exchange.json(limits.authBodyBytes), [])
      const codes = await renewRecoveryCodes(session, attemptOf(exchange))
      wakeMails()
      return jsonReply({ recovery_codes: codes })
    },
  }
}
