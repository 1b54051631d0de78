// Flows of a browser through an issuer: their beginning, and the way back to the client. (contract 5.16.2, 5.16.3)

import type { IncomingHttpHeaders } from 'node:http'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Reply } from '../../http/message/exchange.ts'
import type { Program } from '../../store/store.ts'
import { noStore } from '../endpoint.ts'
import { createOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { formFailure } from '../session/read-texts.ts'
import type { CodeStore, Proved } from './code-store.ts'
import { type FlowSecrets, flowCookie, readFlowCookie, secretsOf } from './flow-cookie.ts'
import type { Flow, FlowStore } from './flow-store.ts'
import type { FindReturnUrl } from './return-urls.ts'

export interface BegunFlow {
  readonly flow: Flow
  readonly secrets: FlowSecrets
  readonly cookie: string
}
export type OpenFlow = Omit<BegunFlow, 'cookie'>
/** How a flow ends that proves nothing. */
export type FlowError = 'access_denied' | 'account_exists' | 'sign_in_failed'

export interface Flows {
  /** Reads `return_to`, `code_challenge` and `for`. Fails with VALIDATION_ERROR, or SERVICE_UNAVAILABLE if too many flows wait. */
  begin(query: string, issuer: string | null, now: Date): Promise<BegunFlow>
  /** The flow of this browser; null if there is none, or it has ended. */
  find(headers: IncomingHttpHeaders, now: Date): Promise<OpenFlow | null>
  end(flow: OpenFlow): Program<boolean>
  /** Makes the code of a flow, in the transaction that ends it. */
  addCode(flow: Flow, proved: Proved, now: Date): Program<string>
  leave(flow: Flow, result: { readonly code: string } | { readonly error: FlowError }): Reply
}
interface FlowDependencies extends Pick<Parts, 'store' | 'findReturnUrl' | 'basePath' | 'limits'> {
  readonly flows: FlowStore
  readonly codes: CodeStore
}

export function createFlows({ store, flows, codes, findReturnUrl, basePath, limits }: FlowDependencies): Flows {
  const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
  return {
    async begin(query, issuer, now) {
      const flow = { ...readRequest(new URLSearchParams(query), issuer, findReturnUrl), issuer }
      const { text } = createOpaqueToken('flw_')
      const secrets = secretsOf(text)
      const expiresAt = after(now, limits.flowSeconds)
      if (!(await store.write(() => flows.add(secrets.hash, flow, expiresAt, limits.flows))))
        throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: limits.flowSeconds })
      return { flow, secrets, cookie: flowCookie(text, basePath, limits.flowSeconds) }
    },
    async find(headers, now) {
      const cookie = readFlowCookie(headers)
      if (cookie === null) return null
      const secrets = secretsOf(cookie)
      const flow = await store.read(flows.find(secrets.hash, now))
      return flow === null ? null : { flow, secrets }
    },
    end: ({ secrets }) => flows.use(secrets.hash),
    *addCode(flow, proved, now) {
      const { text, hash } = createOpaqueToken('code_')
      yield* codes.add(hash, proved, flow.challenge, after(now, limits.codeSeconds))
      return text
    },
    leave({ returnTo }, result) {
      const headers = { ...noStore, 'Set-Cookie': flowCookie(null, basePath, 0) }
      // It has no query of its own.
      return {
        status: 303,
        headers: { ...headers, Location: `${returnTo}?${new URLSearchParams(result)}` },
        body: null,
      }
    },
  }
}

/** Only persons of issuers are linked. */
function readRequest(
  query: URLSearchParams,
  issuer: string | null,
  findReturnUrl: FindReturnUrl,
): Omit<Flow, 'issuer'> {
  const details: Detail[] = []
  const read = (field: string): string | null => {
    const values = query.getAll(field)
    if (values.length > 1) details.push({ field, message: 'Is sent twice.' })
    return values[0] ?? null
  }
  const [sent, challenge, purpose] = [read('return_to'), read('code_challenge'), read('for') ?? 'sign-in']
  const returnTo = sent === null ? null : findReturnUrl(sent)
  if (returnTo === null)
    details.push({ field: 'return_to', message: 'Is not an address to which this service returns.' })
  if (challenge === null || !isOpaqueToken('', challenge))
    details.push({ field: 'code_challenge', message: 'Must be a SHA-256 in base64url.' })
  const purposes = issuer === null ? ['sign-in'] : ['sign-in', 'link']
  if (!purposes.includes(purpose)) details.push({ field: 'for', message: `Must be ${purposes.join(' or ')}.` })
  for (const field of query.keys())
    if (!parameters.has(field)) details.push({ field, message: 'There is no such parameter.' })
  if (details.length > 0) throw formFailure(details)
  return { returnTo: returnTo!, challenge: challenge!, purpose: purpose as Flow['purpose'] }
}
const parameters: ReadonlySet<string> = new Set(['return_to', 'code_challenge', 'for'])
