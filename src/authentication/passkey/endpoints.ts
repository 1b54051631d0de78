// The endpoints of passkeys. (contract 5.15)

import { Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import type { Json } from '../../json/json.ts'
import { type AnswerTokens, type AuthEndpoint, jsonReply } from '../endpoint.ts'
import type { FindAdder } from '../method/factor/adder.ts'
import { attemptOf } from '../method/login/proof.ts'
import type { Parts } from '../parts.ts'
import { membersOf, readTexts, requireField } from '../session/read-texts.ts'
import type { PasskeyRegistration } from './passkey-registration.ts'
import type { Passkeys } from './passkeys.ts'
import { readRegistration } from './read-passkey.ts'

interface PasskeyEndpointDependencies extends Pick<Parts, 'model' | 'wakeMails' | 'limits'> {
  readonly findAdder: FindAdder
  readonly passkeys: Pick<Passkeys, 'signInOptions'>
  readonly registration: PasskeyRegistration
}

/** POST endpoints by name. */
export function createPasskeyEndpoints(
  { model, findAdder, passkeys, registration, wakeMails, limits }: PasskeyEndpointDependencies,
  answer: AnswerTokens,
): Readonly<Record<string, AuthEndpoint>> {
  const body = (exchange: Exchange) => exchange.json(limits.authBodyBytes)
  const nameSpec = model.byName.get('SignInMethod')!.column.get('name')!.spec
  return {
    async 'passkeys/options'(exchange, counting) {
      const { purpose, challenge } = readRequest(await body(exchange))
      if (purpose === 'sign-in') return jsonReply(await passkeys.signInOptions(exchange.now))
      const adder = await findAdder(exchange, challenge, counting)
      return jsonReply(await registration.options(adder, exchange.now))
    },
    async passkeys(exchange, counting) {
      const sent = await body(exchange)
      const { registration: made, ...others } = membersOf(sent) ?? {}
      const names = 'challenge' in others ? (['name', 'challenge'] as const) : (['name'] as const)
      const texts = readTexts(sent === null || typeof sent !== 'object' ? sent : others, names)
      const { name, challenge } = texts as { readonly name: string; readonly challenge?: string }
      requireField('name', name, nameSpec)
      const read = { registration: readRegistration(made, 'registration'), name }
      const adder = await findAdder(exchange, challenge, counting)
      const { id, tokens } = await registration.register(adder, read, attemptOf(exchange))
      wakeMails()
      return tokens === null ? jsonReply({ id }) : answer(tokens, { id })
    },
  }
}

const purposes = ['sign-in', 'register'] as const
/** A challenge is for `register` only. */
function readRequest(body: Json): { readonly purpose: (typeof purposes)[number]; readonly challenge?: string } {
  const members = membersOf(body) ?? {}
  const takesChallenge = members['for'] === 'register' && Object.hasOwn(members, 'challenge')
  const names = takesChallenge ? (['for', 'challenge'] as const) : (['for'] as const)
  const sent = readTexts(body, names) as { readonly for: string; readonly challenge?: string }
  const purpose = purposes.find((each) => each === sent.for)
  if (purpose === undefined)
    throw new Failure('VALIDATION_ERROR', { details: [{ field: 'for', message: 'Must be sign-in or register.' }] })
  return { ...sent, purpose }
}
