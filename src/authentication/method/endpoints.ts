// The endpoints of `/auth` for services with sign-in methods. (contract 5.10, 5.11, 5.12)

import { Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import type { Json } from '../../json/json.ts'
import {
  type AnswerTokens,
  type AuthEndpoint,
  acceptedReply,
  type EndpointLimits,
  emptyReply,
  jsonReply,
  originOf,
} from '../endpoint.ts'
import { linkEndpoint } from '../issuer/issuer-endpoints.ts'
import type { LinkIssuer } from '../issuer/link-issuer.ts'
import type { Parts } from '../parts.ts'
import { membersOf, readTexts, requireField } from '../session/read-texts.ts'
import type { ChangePassword } from './change-password.ts'
import type { CompleteLogin } from './login/complete-login.ts'
import { type Attempt, attemptOf, formOf, type LoginForm, type Proof } from './login/proof.ts'
import { isChallenge, type MagicLink } from './magic-link.ts'
import { requireFreshSession, requireSession } from './session-caller.ts'
import type { SentProof, Verification } from './verification.ts'

export interface MethodEndpointDependencies extends Pick<Parts, 'model' | 'identify' | 'wakeMails' | 'limits'> {
  readonly forms: readonly LoginForm[]
  readonly completeLogin: CompleteLogin
  readonly changePassword: ChangePassword
  /** Null if no field records which addresses are proved. */
  readonly verification: Verification | null
  readonly magicLink: MagicLink | null
  /** Null without issuers. */
  readonly linkIssuer: LinkIssuer | null
}

/** POST endpoints by name. */
export function createMethodEndpoints(
  dependencies: MethodEndpointDependencies,
  answer: AnswerTokens,
): Readonly<Record<string, AuthEndpoint>> {
  const { model, identify, verification, magicLink, linkIssuer, forms, completeLogin, limits } = dependencies
  const countsSteps = model.accounts.methods!.isStored
  const actorOf = async (exchange: Exchange) => identify(exchange.headers, exchange.now, exchange)
  const body = (exchange: Exchange) => exchange.json(limits.authBodyBytes)
  async function prove(exchange: Exchange, attempt: Attempt, { takeStep }: EndpointLimits): Promise<Proof> {
    const sent = await body(exchange)
    const form = formOf(sent, forms)
    if (countsSteps) await takeStep(form.step)
    return form.prove(sent, attempt)
  }
  const accepted = () => {
    dependencies.wakeMails()
    return acceptedReply
  }
  const wakeFor = ({ event }: Proof) => {
    if (event !== undefined) dependencies.wakeMails()
  }
  return {
    async login(exchange, limits) {
      const attempt = attemptOf(exchange)
      const proof = await prove(exchange, attempt, limits)
      const tokens = await completeLogin.signIn(proof, attempt)
      wakeFor(proof)
      return answer(tokens)
    },
    async reauthenticate(exchange, limits) {
      const session = requireSession(await actorOf(exchange))
      const attempt = attemptOf(exchange, session)
      const proof = await prove(exchange, attempt, limits)
      const token = await completeLogin.reauthenticate(proof, session, attempt)
      wakeFor(proof)
      const words = { access_token: token.text, token_type: 'Bearer', expires_in: token.expiresInSeconds }
      return jsonReply(words)
    },
    async 'change-password'(exchange) {
      const caller = requireFreshSession(await actorOf(exchange), exchange.now)
      const { password } = readTexts(await body(exchange), ['password'])
      requireField('password', password, model.accounts.password.spec)
      await dependencies.changePassword(caller, password, originOf(exchange), exchange.now)
      dependencies.wakeMails()
      return emptyReply
    },
    ...(verification === null
      ? {}
      : ({
          async 'send-verification'(exchange, { takeMail }) {
            const { email } = readTexts(await body(exchange), ['email'])
            await takeMail(email)
            await verification.request(email, exchange.now)
            return accepted()
          },
          async 'change-email'(exchange, { takeMail }) {
            const caller = requireFreshSession(await actorOf(exchange), exchange.now)
            const { email } = readTexts(await body(exchange), ['email'])
            requireField('email', email, model.accounts.login.spec)
            await takeMail(email)
            await verification.requestChange(caller, email, exchange.now)
            return accepted()
          },
          async verify(exchange) {
            const sent = readProof(await body(exchange))
            const tokens = await verification.verify(sent, await actorOf(exchange), originOf(exchange), exchange.now)
            dependencies.wakeMails()
            return tokens === null ? emptyReply : answer(tokens)
          },
        } satisfies Record<string, AuthEndpoint>)),
    ...(linkIssuer === null ? {} : { issuers: linkEndpoint(linkIssuer, actorOf, dependencies) }),
    ...(magicLink === null ? {} : { 'magic-link': magicLinkEndpoint(magicLink, dependencies) }),
  }
}

const magicLinkEndpoint =
  (magicLink: MagicLink, { wakeMails, limits }: MethodEndpointDependencies): AuthEndpoint =>
  async (exchange, { takeMail }) => {
    const sent = await exchange.json(limits.authBodyBytes)
    const { email, code_challenge: challenge } = readTexts(sent, ['email', 'code_challenge'])
    requireChallenge(challenge)
    await takeMail(email)
    await magicLink.request(email, challenge, exchange.now)
    wakeMails()
    return acceptedReply
  }

function requireChallenge(challenge: string): void {
  const details = [{ field: 'code_challenge', message: 'Must be a SHA-256 in base64url.' }]
  if (!isChallenge(challenge)) throw new Failure('VALIDATION_ERROR', { details })
}

/** `start_over` and `password` exclude each other. VALIDATION_ERROR lists all problems. */
function readProof(body: Json): SentProof {
  const members = membersOf(body)
  if (members !== null && Object.hasOwn(members, 'start_over')) {
    const { start_over: startsOver, ...rest } = members
    if (startsOver !== true)
      throw new Failure('VALIDATION_ERROR', { details: [{ field: 'start_over', message: 'Must be true, or absent.' }] })
    return { ...readTexts(rest, ['token']), startsOver }
  }
  const names =
    members !== null && Object.hasOwn(members, 'password') ? (['token', 'password'] as const) : (['token'] as const)
  return { ...readTexts(body, names), startsOver: false }
}
