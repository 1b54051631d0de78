// The endpoints of issuers that browsers open: the beginning, and the issuer's way back. (contract 5.16.1, 5.16.3)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'
import type { Actor } from '../../resource/actor.ts'
import { type AuthEndpoint, jsonReply } from '../endpoint.ts'
import { problemReply } from '../flow/html.ts'
import { attemptOf } from '../method/login/proof.ts'
import { requireFreshSession } from '../method/session-caller.ts'
import { readTexts } from '../session/read-texts.ts'
import { pageTexts, type TextsByLanguage } from '../text/texts.ts'
import type { IssuerSignIn } from './issuer-sign-in.ts'
import type { LinkIssuer } from './link-issuer.ts'

/** GET endpoints by name. */
export function issuerEndpoints(
  issuers: ReadonlyMap<string, IssuerSignIn>,
  texts: TextsByLanguage,
): Readonly<Record<string, AuthEndpoint>> {
  const problem = (failure: Failure, { 'accept-language': accepted }: IncomingHttpHeaders) =>
    problemReply(failure, pageTexts(accepted, texts))
  const endpoints = [...issuers].flatMap(([name, signIn]): [string, AuthEndpoint][] => [
    [
      `issuers/${name}`,
      async ({ query, headers, now }) => {
        try {
          return await signIn.begin(query, now)
        } catch (error) {
          if (error instanceof Failure) return problem(error, headers)
          throw error
        }
      },
    ],
    [
      `issuers/${name}/callback`,
      async ({ query, headers, address, requestId, now }) =>
        (await signIn.finish(query, headers, { address, requestId }, now)) ??
        problem(new Failure('INVALID_TOKEN'), headers),
    ],
  ])
  return Object.fromEntries(endpoints)
}

/** `POST /auth/issuers`. (contract 5.16.5) */
export const linkEndpoint =
  (
    link: LinkIssuer,
    actorOf: (exchange: Exchange) => Promise<Actor | null>,
    { limits, wakeMails }: { readonly limits: Pick<Limits, 'authBodyBytes'>; readonly wakeMails: () => void },
  ): AuthEndpoint =>
  async (exchange) => {
    const caller = requireFreshSession(await actorOf(exchange), exchange.now)
    const sent = readTexts(await exchange.json(limits.authBodyBytes), ['ticket', 'code_verifier'])
    const { ticket, code_verifier: verifier } = sent
    const id = await link(caller, { ticket, verifier }, attemptOf(exchange, caller))
    wakeMails()
    return jsonReply({ id })
  }
