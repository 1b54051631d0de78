// Signs in at an issuer: sends the browser there, and back to the client with a one-time code. (contract 5.16)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'
import type { Reply } from '../../http/message/exchange.ts'
import { noStore } from '../endpoint.ts'
import type { Proved } from '../flow/code-store.ts'
import type { FlowError, Flows, OpenFlow } from '../flow/flows.ts'
import type { Parts } from '../parts.ts'
import type { IssuerClient, ProvedPerson } from './issuer-client.ts'
import type { IssuerMethodStore } from './issuer-method-store.ts'
import type { FindAccount, RequestOrigin } from './provisioning.ts'

export interface IssuerSignIn {
  /** Fails as `Flows.begin`. */
  begin(query: string, now: Date): Promise<Reply>
  /** Null if the query does not belong to a flow that this browser began at this issuer and has not ended. */
  finish(query: string, headers: IncomingHttpHeaders, origin: RequestOrigin, now: Date): Promise<Reply | null>
}
interface IssuerSignInDependencies extends Pick<Parts, 'store' | 'accounts' | 'log'> {
  readonly name: string
  readonly client: IssuerClient
  /** Whether `mfa` of the issuer counts as a second factor. */
  readonly secondFactor: boolean
  readonly findAccount: FindAccount
  readonly issuerMethods: IssuerMethodStore
  readonly flows: Flows
}

export function createIssuerSignIn(dependencies: IssuerSignInDependencies): IssuerSignIn {
  const { name, client, secondFactor, store, accounts, issuerMethods, flows, log } = dependencies
  const warn = (err: unknown) =>
    log.warn('A sign-in at an issuer failed.', { event: 'issuer_sign_in_failed', issuer: name, err })

  /** The code of an account, or of a person to be linked to one. */
  async function prove({ flow }: OpenFlow, person: ProvedPerson, origin: RequestOrigin, now: Date): Promise<string> {
    const { issuer, subject, claims } = person
    if (flow.purpose === 'link')
      return store.write(() => flows.addCode(flow, { purpose: 'link', name, issuer, subject }, now))
    const { id } = await dependencies.findAccount({ issuer, subject }, claims, now, origin)
    const isComplete = secondFactor && Array.isArray(claims['amr']) && claims['amr'].includes('mfa')
    return store.write(function* () {
      const account = yield* accounts.lock(id)
      if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
      yield* issuerMethods.note(person, id, name, now)
      const { access: epoch } = yield* accounts.epochs(id)
      const methods = isComplete ? ['issuer', 'mfa'] : ['issuer']
      const proved: Proved = { purpose: 'sign-in', userId: id, methods, isComplete, epoch }
      return yield* flows.addCode(flow, proved, now)
    })
  }
  async function resultOf(open: OpenFlow, query: string, origin: RequestOrigin, now: Date) {
    let person: ProvedPerson | null
    try {
      person = await client.exchange(query, open.secrets)
    } catch (error) {
      warn(error)
      return { error: 'sign_in_failed' } as const
    }
    if (person === null) return { error: 'access_denied' } as const
    try {
      return { code: await prove(open, person, origin, now) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      warn(error)
      return { error: errorOf(error) }
    }
  }

  return {
    async begin(query, now) {
      const { flow, secrets, cookie } = await flows.begin(query, name, now)
      try {
        const { href: Location } = await client.authorizationUrl(secrets)
        return { status: 303, headers: { ...noStore, 'Set-Cookie': cookie, Location }, body: null }
      } catch (error) {
        warn(error)
        return flows.leave(flow, { error: 'sign_in_failed' })
      }
    },
    async finish(query, headers, origin, now) {
      const open = await flows.find(headers, now)
      if (open === null || open.flow.issuer !== name) return null
      const [state, ...more] = new URLSearchParams(query).getAll('state')
      if (state !== open.secrets.state || more.length > 0) return null
      if (!(await store.write(() => flows.end(open)))) return null
      return flows.leave(open.flow, await resultOf(open, query, origin, now))
    },
  }
}

/** An account with the person's address is never taken over: its owner links it in a session. */
const errorOf = ({ cause }: Failure): FlowError =>
  cause instanceof Failure && cause.code === 'CONFLICT' ? 'account_exists' : 'sign_in_failed'
