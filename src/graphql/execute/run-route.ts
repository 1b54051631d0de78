// Runs a custom route as a field: its arguments become input, what it returns is printed as selected. (contract 5.5.12)

import type { RouteDefinition, Specs } from '../../custom-route/definition.ts'
import { limitsOf } from '../../custom-route/definition.ts'
import { checkJson, readFields } from '../../custom-route/fields.ts'
import type { AuthorLimit } from '../../custom-route/route.ts'
import {
  answerParts,
  type RouteCaller,
  type RouteInput,
  type RouteRequest,
  type RouteRun,
  whereOf,
} from '../../custom-route/run.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { reshape } from '../../read-plan/print-value.ts'
import { asDefined, graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import type { RootCall } from '../prepare/compile.ts'
import type { Variables } from '../prepare/field-collector.ts'

export type RouteRuns = ReadonlyMap<RouteDefinition, RouteRun>
/** Fails with RATE_LIMIT_EXCEEDED. */
export type TakeRoute = (limits: readonly AuthorLimit[]) => Promise<void>
interface FieldCaller extends RouteCaller {
  readonly request: RouteRequest
  readonly takeRoute?: TakeRoute | undefined
}

/** Returns JSON. Rejects with a Failure or a bug, in the order of REST. */
export async function runRoute(
  { route, shape }: Extract<RootCall, { is: 'route' }>,
  args: Variables,
  { actor, origin, request, takeRoute }: FieldCaller,
  runs: RouteRuns,
): Promise<string> {
  const run = runs.get(route)!
  const limits = limitsOf(route)
  if (limits.length > 0) await takeRoute?.(limits) //          429
  run.authorize(actor, request.now) //                        401, 403
  const input = readInput(route, args) //                     400, 404
  const answered = await run.handle(input, { actor, origin }, request)
  if (shape === null) return 'true'
  const data = answerParts(answered, route.answer as Specs, asDefined.part, whereOf(route))
  return JSON.stringify(reshape(data, shape))
}

const { part: partName } = graphqlVocabulary()
const reading = { partName, check: checkJson }

function readInput({ params = {}, query = {}, body = {} }: RouteDefinition, args: Variables): RouteInput {
  const problems: Detail[] = []
  const pathProblems: Detail[] = []
  const find = (name: string) => args[name]
  const sent = (args['input'] ?? {}) as Variables
  const input = {
    input: readFields(body, (name) => sent[name], reading, problems),
    query: readFields(query, find, reading, problems),
    headers: {},
    params: readFields(params, find, reading, pathProblems),
  }
  if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
  if (pathProblems.length > 0) throw new Failure('NOT_FOUND')
  return input
}
