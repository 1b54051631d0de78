// Answers a request to a route of an author's own, in the order of the contract's checks. (contract 5.5.2)

import { actorFor } from '../../action/callback-actor.ts'
import { mayUse, requireAccess } from '../../action/route-access.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'
import type { RecordsFor } from '../../program/records.ts'
import { type Requester, theService } from '../../resource/actor.ts'
import type { Version } from '../version.ts'
import { scopeOf } from './access.ts'
import { compileAnswer } from './answer.ts'
import type { RouteDefinition } from './definition.ts'
import { readBody, readHeaders, readParameters, readPath } from './input.ts'
import { logOf, type RouteLog } from './log.ts'
import { readSent, readSigned, type SentBytes } from './sent.ts'

export interface AuthorDependencies {
  readonly recordsFor: RecordsFor
  /** Takes what routes say; without it nobody listens. */
  readonly routeLog?: RouteLog
  readonly limits: Pick<Limits, 'restBodyBytes'>
}
/** `parts`: what stands in the path, by the names of the template. Rejects with a Failure, or with a bug. */
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
  const answerOf = compileAnswer(definition, version)
  const isRead = body !== undefined || raw !== undefined || signed !== undefined

  return async (exchange, actor, parts) => {
    const bytes = isRead ? await readSent(exchange, definition, limits) : nothing //             413, 415, 400
    requireAccess(definition.access, scope, actor) //                                           401, 403
    const isSigned = signed !== undefined
    const sent = isSigned ? await readSigned(exchange, { signed, body }, bytes, limits) : bytes.json // 401, 415, 400
    const problems: Detail[] = []
    const caller = { vocabulary, requestId: exchange.requestId, deadline: exchange }
    const moment = {
      actor: actorFor(actor, () => mayUse(definition.access, null)),
      input: body === undefined ? {} : readBody(sent, body, part, problems),
      query: readParameters(exchange.query, query, part, problems),
      headers: headers === undefined ? {} : readHeaders(exchange.headers, headers, problems),
      records: recordsFor({ ...caller, actor }),
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
      // Made when they are first asked for: most routes never do.
      asService: {
        get records() {
          exchange.asService = true
          return recordsFor({ ...caller, actor: theService })
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

/** What is no part of a record's own transaction cannot be kept from happening twice. */
function refuseKeys({ headers }: Exchange, problems: Detail[]): void {
  for (const name of ['X-Idempotency-Key', 'Idempotency-Key']) {
    if (headers[name.toLowerCase()] !== undefined) problems.push({ field: name, message: 'Is not taken here.' })
  }
}
