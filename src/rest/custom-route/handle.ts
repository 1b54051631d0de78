// Answers a custom route, in the contract's order of checks. (contract 5.5.2)

import type { RouteDefinition } from '../../custom-route/definition.ts'
import { findHeader } from '../../custom-route/header.ts'
import { isOpenBody } from '../../custom-route/open-body.ts'
import { compileRun, type RouteDependencies } from '../../custom-route/run.ts'
import type { Signature } from '../../custom-route/signature.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { type Exchange, originOf, type Reply } from '../../http/message/exchange.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Json } from '../../json/json.ts'
import type { Limits } from '../../limits.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Version } from '../route/version.ts'
import { compileAnswer } from './answer.ts'
import { readBody, readHeaders, readParameters, readPath } from './input.ts'

export interface AuthorDependencies extends RouteDependencies {
  readonly limits: Limits
}
/** `parts`: path segments by name. Rejects with a Failure or a bug. */
export type AuthorHandle = (exchange: Exchange, actor: Requester, parts: ReadonlyMap<string, string>) => Promise<Reply>

export function authorHandle(
  definition: RouteDefinition,
  version: Version,
  dependencies: AuthorDependencies,
): AuthorHandle {
  const { params = {}, query = {}, headers, body, raw, signed } = definition
  const { limits } = dependencies
  const { part } = version.vocabulary
  const run = compileRun(definition, version.vocabulary, dependencies)
  const answerOf = compileAnswer(definition, version)
  const isRead = body !== undefined || raw !== undefined || signed !== undefined

  return async (exchange, actor, parts) => {
    const bytes = isRead ? await readSent(exchange, definition, limits) : nothing //             413, 415, 400
    run.authorize(actor, exchange.now) //                                                        401, 403
    const isSigned = signed !== undefined
    const sent = isSigned ? await readSigned(exchange, { signed, body }, bytes, limits) : bytes.json // 401, 415, 400
    const problems: Detail[] = []
    const values = {
      input: body === undefined ? {} : readBody(sent, body, part, problems),
      query: readParameters(exchange.query, query, part, problems),
      headers: headers === undefined ? {} : readHeaders(exchange.headers, headers, problems),
    }
    refuseKeys(exchange, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems }) //     400
    const pathValues = readPath(parts, params, part)
    if (pathValues === null) throw new Failure('NOT_FOUND') //                                       404
    const input = { ...values, params: pathValues, ...(raw === undefined ? {} : { bytes: bytes.bytes }) }
    const answered = await run.handle(input, { actor, origin: originOf(exchange) }, exchange)
    return answerOf(answered, exchange, actor)
  }
}

/** Read before access is checked. */
interface SentBytes {
  readonly bytes: Uint8Array | null
  /** Undefined without a body, or if a signature must be verified first. */
  readonly json: Json | undefined
}
const nothing: SentBytes = { bytes: null, json: undefined }

/** Fails with PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR. */
async function readSent(
  exchange: Exchange,
  { raw, signed, body }: RouteDefinition,
  { restBodyBytes }: Limits,
): Promise<SentBytes> {
  if (raw === undefined && signed === undefined) {
    const json = body === undefined ? undefined : await exchange.jsonIfSent(restBodyBytes, isOpenBody(body))
    return { bytes: null, json }
  }
  if (raw?.mediaTypes !== undefined && !isMediaType(exchange.headers, raw.mediaTypes)) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${raw.mediaTypes.join(' or ')}.` })
  }
  return { bytes: await exchange.bytes(raw?.maxBytes ?? restBodyBytes), json: undefined }
}

/** The JSON of a message with a valid signature. Fails with UNAUTHENTICATED, or as `exchange.json`. */
async function readSigned(
  exchange: Exchange,
  { signed, body }: { readonly signed: Signature; readonly body: RouteDefinition['body'] },
  { bytes }: SentBytes,
  { restBodyBytes }: Limits,
): Promise<Json | undefined> {
  const names = signed.headers.map((name) => name.toLowerCase())
  const headers = Object.fromEntries(names.map((name) => [name, findHeader(exchange.headers, name)]))
  const isOwn = await signed.verify({ bytes: bytes!, headers, now: exchange.now })
  if (isOwn !== true) {
    throw new Failure('UNAUTHENTICATED', { message: 'The signature of this message is missing, wrong or too old.' })
  }
  return body === undefined ? undefined : await exchange.json(restBodyBytes, isOpenBody(body))
}

/** Writes outside a record's own transaction cannot be deduplicated. */
function refuseKeys({ headers }: Exchange, problems: Detail[]): void {
  for (const name of ['X-Idempotency-Key', 'Idempotency-Key']) {
    if (headers[name.toLowerCase()] !== undefined) problems.push({ field: name, message: 'Is not taken here.' })
  }
}
