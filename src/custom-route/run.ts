// Carries out a custom route for either face: who may use it, its code, and the form of its answer. (contract 5.5)

import type { RequestOrigin } from '../action/call.ts'
import { actorFor } from '../action/callback-actor.ts'
import type { RecordsFor } from '../action/code/records.ts'
import { mayUse, requireAccess } from '../action/code/route-access.ts'
import { writeParts } from '../action/code/write-value.ts'
import type { Deadline } from '../budget/deadline.ts'
import { invariant } from '../failure/failure.ts'
import type { LogFields } from '../observation/log.ts'
import { type Requester, theService } from '../resource/actor.ts'
import type { PartName } from '../resource/field/field.ts'
import { kindOf } from '../resource/field/registry.ts'
import { requireFresh } from '../resource/freshness.ts'
import { freshSecondsOf } from '../resource/language/rule/rule-parts.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { scopeOf } from './access.ts'
import type { RouteDefinition, Specs } from './definition.ts'
import type { MomentLog, RouteLog } from './log.ts'

/** The request that a route is a part of, as its code may know it. */
export interface RouteRequest extends Deadline {
  readonly requestId: string
  readonly now: Date
  /** Aborts at the deadline. Created on first use. */
  readonly signal: AbortSignal
  /** Set once the code has acted as the service. */
  asService: boolean
  /** Values to remove from the log. */
  readonly secrets?: () => readonly string[]
}
export interface RouteCaller {
  readonly actor: Requester
  readonly origin: RequestOrigin | null
}

/** In the definition's names. */
export interface RouteInput {
  readonly params: Values
  readonly query: Values
  readonly headers: Values
  readonly input: Values
  readonly bytes?: Uint8Array | null
}
export type Values = Readonly<Record<string, unknown>>

export interface RouteDependencies {
  readonly recordsFor: RecordsFor
  readonly routeLog?: RouteLog | undefined
}
export interface RouteRun {
  /** Fails with UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE. */
  authorize(actor: Requester, now: Date): void
  /** Returns what the code returns. Rejects with a Failure or a bug. */
  handle(input: RouteInput, caller: RouteCaller, request: RouteRequest): Promise<unknown>
}

/** `vocabulary`: the face's names, for failures of writes. */
export function compileRun(
  definition: RouteDefinition,
  vocabulary: Vocabulary,
  { recordsFor, routeLog }: RouteDependencies,
): RouteRun {
  const { access, handle } = definition
  const where = whereOf(definition)
  const scope = scopeOf(definition)
  const freshSeconds = freshSecondsOf(access)
  return {
    authorize(actor, now) {
      requireAccess(access, scope, actor)
      requireFresh(freshSeconds, actor, now)
    },
    handle: async (input, { actor, origin }, request) => {
      const basis = { vocabulary, deadline: request }
      return await handle({
        ...input,
        actor: actorFor(actor, () => mayUse(access, null)),
        records: recordsFor({ ...basis, request: origin, actor }),
        now: request.now,
        requestId: request.requestId,
        // Created on first use: most routes never need it.
        asService: {
          get records() {
            request.asService = true
            return recordsFor({ ...basis, request: null, actor: theService })
          },
        },
        get log() {
          return logOf(request, where, routeLog)
        },
        get signal() {
          return request.signal
        },
      })
    },
  }
}

function logOf(request: RouteRequest, route: string, log?: RouteLog): MomentLog {
  const at = (importance: keyof RouteLog) => (message: string, fields?: LogFields) =>
    log?.[importance](message, { ...fields, requestId: request.requestId, route }, request.secrets?.())
  return { info: at('info'), warn: at('warn') }
}

export const whereOf = ({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): string => `${method} ${path}`

/** The described parts of what the code returned, as JSON. Anything else that it returned is a bug. (contract 5.5.3) */
export function answerParts(answered: unknown, answer: Specs, partName: PartName, where: string): Values {
  invariant(typeof answered === 'object' && answered !== null, `${where} answers an object`)
  const data = writeParts(answer, answered as Values, partName)
  for (const [name, spec] of Object.entries(answer)) {
    const wire = partName(name, spec)
    if (data[wire] === null && spec.optional) continue
    kindOf(spec).check(
      spec,
      data[wire],
      (path, message) => invariant(false, `${where} answers what its ${name}${path} can be: ${message}`),
      partName,
    )
  }
  return data
}
