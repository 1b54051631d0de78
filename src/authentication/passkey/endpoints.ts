// The endpoints of passkeys. (contract 5.15)

import { Failure } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Json } from '../../json/json.ts'
import type { Limits } from '../../limits.ts'
import type { Actor } from '../../resource/actor.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { type AuthEndpoint, noStore, originOf } from '../endpoint.ts'
import type { Identify } from '../identify.ts'
import { requireFreshSession } from '../method/session-caller.ts'
import { readTexts, requireField } from '../session/read-texts.ts'
import { membersOf } from './passkey-forms.ts'
import type { PasskeyRegistration } from './passkey-registration.ts'
import type { Passkeys } from './passkeys.ts'
import { readRegistration } from './read-passkey.ts'

export interface PasskeyEndpointDependencies {
  readonly identify: Identify<Actor | null>
  readonly passkeys: Pick<Passkeys, 'signInOptions'>
  readonly registration: PasskeyRegistration
  /** Of a `SignInMethod`. */
  readonly name: SpecBase
  readonly wakeMails: () => void
  readonly limits: Pick<Limits, 'authBodyBytes'>
}

/** POST endpoints by name. */
export function createPasskeyEndpoints(
  dependencies: PasskeyEndpointDependencies,
): Readonly<Record<string, AuthEndpoint>> {
  const { identify, passkeys, registration, limits } = dependencies
  const body = (exchange: Exchange) => exchange.json(limits.authBodyBytes)
  const callerOf = async (exchange: Exchange) =>
    requireFreshSession(await identify(exchange.headers, exchange.now, exchange), exchange.now)
  return {
    async 'passkeys/options'(exchange) {
      const purpose = readPurpose(await body(exchange))
      if (purpose === 'sign-in') return jsonReply(await passkeys.signInOptions(exchange.now))
      return jsonReply(await registration.options(await callerOf(exchange), exchange.now))
    },
    async passkeys(exchange) {
      const caller = await callerOf(exchange)
      const sent = await body(exchange)
      const { registration: made, ...others } = membersOf(sent)
      const { name } = readTexts(sent === null || typeof sent !== 'object' ? sent : others, ['name'])
      requireField('name', name, dependencies.name)
      const read = { registration: readRegistration(made, 'registration'), name }
      const id = await registration.register(caller, read, originOf(exchange), exchange.now)
      dependencies.wakeMails()
      return jsonReply({ id })
    },
  }
}

const purposes = ['sign-in', 'register'] as const
function readPurpose(body: Json): (typeof purposes)[number] {
  const { for: sent } = readTexts(body, ['for'])
  const purpose = purposes.find((each) => each === sent)
  if (purpose === undefined)
    throw new Failure('VALIDATION_ERROR', { details: [{ field: 'for', message: 'Must be sign-in or register.' }] })
  return purpose
}

const jsonReply = (body: object): Reply => ({ status: 200, headers: noStore, body: JSON.stringify(body) })
