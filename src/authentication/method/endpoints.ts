// The endpoints of `/auth` for services with sign-in methods. (contract 5.10)

import type { Exchange } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'
import type { Actor } from '../../resource/actor.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { type AuthEndpoint, emptyReply, noStore, originOf } from '../endpoints.ts'
import type { Identify } from '../identify.ts'
import { readTexts, requirePassword } from '../session/read-texts.ts'
import type { ChangePassword } from './change-password.ts'
import type { Reauthenticate } from './reauthenticate.ts'
import { requireFreshSession, requireSession } from './session-caller.ts'

export interface MethodEndpointDependencies {
  readonly identify: Identify<Actor | null>
  readonly reauthenticate: Reauthenticate
  readonly changePassword: ChangePassword
  readonly password: SpecBase
  readonly limits: Pick<Limits, 'authBodyBytes'>
}

/** POST endpoints by name. */
export function createMethodEndpoints(
  dependencies: MethodEndpointDependencies,
): Readonly<Record<string, AuthEndpoint>> {
  const { identify, password: passwordSpec, limits } = dependencies
  const actorOf = async (exchange: Exchange) => identify(exchange.headers, exchange.now, exchange)
  const body = (exchange: Exchange) => exchange.json(limits.authBodyBytes)
  return {
    async reauthenticate(exchange) {
      const caller = requireSession(await actorOf(exchange))
      const credentials = readTexts(await body(exchange), ['email', 'password'])
      const token = await dependencies.reauthenticate(caller, credentials, originOf(exchange), exchange.now)
      const words = { access_token: token.text, token_type: 'Bearer', expires_in: token.expiresInSeconds }
      return { status: 200, headers: noStore, body: JSON.stringify(words) }
    },
    async 'change-password'(exchange) {
      const caller = requireFreshSession(await actorOf(exchange), exchange.now)
      const { password } = readTexts(await body(exchange), ['password'])
      requirePassword(password, passwordSpec)
      await dependencies.changePassword(caller, password, originOf(exchange), exchange.now)
      return emptyReply
    },
  }
}
