// Answers a custom route, in the contract's order of checks. (contract 5.5.2)

import { actorFor } from '../../action/callback-actor.ts'
import type { RecordsFor } from '../../action/code/records.ts'
import { mayUse, requireAccess } from '../../action/code/route-access.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { type Exchange, originOf, type Reply } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'
import { type Requester, theService } from '../../resource/actor.ts'
import { requireFresh } from '../../resource/freshness.ts'
import { freshSecondsOf } from '../../resource/language/rule/rule-parts.ts'
import type { Version } from '../route/version.ts'
import { scopeOf } from './access.ts'
import { compileAnswer } from './answer.ts'
import type { RouteDefinition } from './definition.ts'
import { readBody, readHeaders, readParameters, readPath } from './input.ts'
import { logOf, type RouteLog } from './log.ts'
import { readSent, readSigned, type SentBytes } from './sent.ts'

export interface AuthorDependencies {
  readonly recordsFor: RecordsFor
  readonly routeLog?: RouteLog
  readonly limits: Pick<Limits, 'restBodyBytes'>
}
/** `parts`: path segments by name. Rejects with a Failure or a bug. */
export type AuthorHandle = (exchange: Exchange, actor: Requester, parts: ReadonlyMap<string, string>) => Promise<Reply>

export function authorHandle(
  definition: RouteDefinition,
  version: Version,
  { recordsFor, routeLog, limits }: AuthorDependencies,
): AuthorHandle {
  const { method, path, params = {}, query = {}, headers, body, raw, signed, handle } = definition
  const { vocabulary } = version
  const { part } = vocabulary
  const scope = scopeOf(definition)
  const freshSeconds = freshSecondsOf(definition.access)
  const answerOf = compileAnswer(definition, version)
  const isRead = body !== undefined || raw !== undefined || signed !== undefined

  return async (exchange, actor, parts) => {
    const bytes = isRead ? await readSent(exchange, definition, limits) : nothing //             413, 415, 400
    requireAccess(definition.access, scope, actor) //                                           401, 403
    requireFresh(freshSeconds, actor, exchange.now) //                                           401
    const isSigned = signed !== undefined
    const sent = isSigned ? await readSigned(exchange, { signed, body }, bytes, limits) : bytes.json // 401, 415, 400
    const problems: Detail[] = []
    const caller = { vocabulary, deadline: exchange }
    const moment = {
      actor: actorFor(actor, () => mayUse(definition.access, null)),
      input: body === undefined ? {} : readBody(sent, body, part, problems),
      query: readParameters(exchange.query, query, part, problems),
      headers: headers === undefined ? {} : readHeaders(exchange.headers, headers, problems),
      records: recordsFor({ ...caller, request: originOf(exchange), actor }),
      now: exchange.now,
      requestId: exchange.requestId,
    }
    refuseKeys(exchange, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems }) //     400
    const pathValues = readPath(parts, params, part)
    if (pathValues === null) throw new Failure('NOT_FOUND') //                                       404
    const answered = await handle({
      ...moment,
      params: pathValues,
      ...(raw === undefined ? {} : { bytes: bytes.bytes }),
      // Created on first use: most routes never need it.
      asService: {
        get records() {
          exchange.asService = true
          return recordsFor({ ...caller, request: null, actor: theService })
        },
      },
      get log() {
        return logOf(exchange, `${method} ${path}`, routeLog)
      },
      get signal() {
        return exchange.signal
      },
    })
    return answerOf(answered, exchange, actor)
  }
}

const nothing: SentBytes = { bytes: null, json: undefined }

/** Writes outside a record's own transaction cannot be deduplicated. */
function refuseKeys({ headers }: Exchange, problems: Detail[]): void {
  for (const name of ['X-Idempotency-Key', 'Idempotency-Key']) {
    if (headers[name.toLowerCase()] !== undefined) problems.push({ field: name, message: 'Is not taken here.' })
  }
}
