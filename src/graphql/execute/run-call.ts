// Runs one root field: arguments become a call of the runner, its outcome JSON and errors.

import type { GraphQLSchema } from 'graphql'
import type { RecordName, RequestOrigin, Runner, WriteOutcome } from '../../action/call.ts'
import type { AnswerSize } from '../../budget/answer-size.ts'
import type { Deadline } from '../../budget/deadline.ts'
import type { RouteRequest } from '../../custom-route/run.ts'
import { type NameDetail, plainly } from '../../failure/description.ts'
import { type Detail, Failure, invariant } from '../../failure/failure.ts'
import type { WatchedOperation } from '../../observation/watch.ts'
import type { PathError } from '../../read-plan/printing.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import { accountOf, actorOf, type Requester } from '../../resource/actor.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { type ErrorEntry, entryOf, entryOfThrown } from '../error.ts'
import type { Reading, RecordReading, RootCall } from '../prepare/compile.ts'
import type { Variables } from '../prepare/field-collector.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import type { Arguments } from '../prepare/read-arguments.ts'
import {
  detailNames,
  hasCondition,
  keyNameOf,
  problemsOf,
  readUpserts,
  targetsOf,
  upsertNames,
} from '../prepare/target.ts'
import { type Branch, locationsAt, locationsOf, type TreeField } from '../prepare/tree.ts'
import type { WrongLists } from '../prepare/wrong-lists.ts'
import { introspect } from './introspect.ts'
import { type RouteRuns, runRoute, type TakeRoute } from './run-route.ts'

export interface Caller {
  readonly actor: Requester
  readonly requestId: string
  readonly origin?: RequestOrigin
  readonly clientName?: string | readonly string[] | undefined
  readonly requestTime?: Date
  readonly deadline?: Deadline | undefined
  readonly size?: AnswerSize | undefined
  readonly request?: RouteRequest
  readonly takeRoute?: TakeRoute
  /** For logs and metrics; set once known. */
  operation?: WatchedOperation
}
export interface RunDependencies {
  readonly runner: Runner
  readonly schema: () => GraphQLSchema
  readonly vocabulary: Vocabulary
  readonly limits: { readonly batch: number }
  readonly routes: RouteRuns
  readonly reportBug: ReportBug
}
export type ReportBug = (bug: unknown, requestId: string, secrets?: readonly string[]) => void
export interface Answer {
  readonly json: string | null
  readonly errors: readonly ErrorEntry[]
}

/** Never rejects: failures and bugs become errors at the field's path. `execute` reports failures of `size`. */
export async function runCall(
  prepared: PreparedOperation,
  index: number,
  caller: Caller,
  dependencies: RunDependencies,
): Promise<Answer> {
  const call = prepared.calls[index]!
  const wrong = prepared.wrongLists.get(index)
  try {
    return await run(call, prepared.args[index]!, { prepared, wrong, caller, dependencies })
  } catch (error) {
    if (error === caller.size?.failure) return nothing
    const { key } = call.field
    const nodes = nodesAt(error, call, wrong)
    const nameDetail = namesOf(call, prepared.args[index]!)
    const log = (bug: unknown) => dependencies.reportBug(bug, caller.requestId, caller.request?.secrets?.())
    return { json: null, errors: [entryOfThrown(error, { ...locationsOf(nodes), path: [key] }, log, nameDetail)] }
  }
}

const nothing: Answer = { json: null, errors: [] }

function namesOf(call: RootCall, { sentPath }: Arguments): NameDetail {
  const name = call.is === 'write' ? detailNames(call) : call.is === 'upsertMany' ? upsertNames(call) : plainly
  return (detail, isForm) => sentPath(name(detail, isForm))
}

/** Wrong lists may be far below the field that fails with them. */
const nodesAt = (error: unknown, { is, field }: RootCall, wrong: WrongLists | undefined) =>
  wrong !== undefined && is !== 'write' && error instanceof Failure && error.code === 'VALIDATION_ERROR'
    ? wrong.nodes
    : field.nodes

interface Execution {
  readonly prepared: PreparedOperation
  readonly wrong: WrongLists | undefined
  readonly caller: Caller
  readonly dependencies: RunDependencies
}

function run(call: RootCall, { values: args, problems }: Arguments, execution: Execution): Answer | Promise<Answer> {
  const { wrong, caller, dependencies } = execution
  const { actor } = caller
  switch (call.is) {
    case 'typename':
      return { json: call.json, errors: [] }
    case 'introspection':
      return introspection(call.field, execution)
    case 'record':
      return record(call, nameOf(call, args, caller.actor, dependencies), execution, problems)
    case 'upsert':
    case 'upsertMany':
      return upsert(call, args, problems, execution)
    case 'me': {
      const account = accountOf(actor)
      if (account === null) throw new Failure(actorOf(actor) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
      return record(call, account.id, execution)
    }
    case 'anything': {
      const id = args['id'] as string
      const reading = call.readings.get(id.slice(0, id.lastIndexOf('_')))
      if (reading === undefined) {
        wrong?.refuse(dependencies.runner)
        throw new Failure('NOT_FOUND')
      }
      return record({ field: call.field, reading }, id, execution)
    }
    case 'result':
      return result(call, args['id'] as string, execution)
    case 'list':
      return list(call, execution)
    case 'summary':
      return summary(call, execution)
    case 'event':
      throw new TypeError('A subscription is no call: its socket listens to the hub.')
    case 'write':
      return write(call, args, problems, execution)
    case 'route':
      return route(call, args, execution)
  }
}

function introspection(field: TreeField, { prepared, caller: { size }, dependencies }: Execution): Answer {
  const answer = introspect(dependencies.schema(), prepared, field)
  size?.grow(size.chars + (answer.json?.length ?? 0))
  return answer
}

async function record(
  { field, reading }: { readonly field: TreeField; readonly reading: RecordReading },
  id: RecordName,
  { prepared, wrong, caller, dependencies: { runner } }: Execution,
  problems: readonly Detail[] = [],
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = caller
  const refuse = (): never => {
    wrong?.authorize(runner)
    throw new Failure('VALIDATION_ERROR', { details: [...problems, ...(wrong?.details ?? [])] })
  }
  const { json, errors } = await runner.record({
    resource: reading.root.of.resource,
    root: wrong === undefined && problems.length === 0 ? reading.root : refuse,
    actor,
    id,
    requestTime,
    lists: listsOf(reading, prepared),
    deadline,
    size,
  })
  return { json, errors: entriesOf(errors, field) }
}

/** A record, or the failure as a member of the union; no errors then. (contract 4.8.10) */
async function result(call: Extract<RootCall, { is: 'result' }>, id: string, execution: Execution): Promise<Answer> {
  try {
    return await record(call, id, execution)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.status === 404) return { json: printFailure(call.missing, error), errors: [] }
    if (error.status === 401 || error.status === 403) return { json: printFailure(call.refused, error), errors: [] }
    throw error
  }
}

function printFailure({ type, fields }: Branch, { code, message }: Failure): string {
  const parts = fields.map(({ key, meaning }) => {
    const value = meaning === undefined ? type.name : meaning.is === 'code' ? code : message
    return `"${key}":${JSON.stringify(value)}`
  })
  return `{${parts.join(',')}}`
}

async function list(
  { field, source, reading }: Extract<RootCall, { is: 'list' }>,
  { prepared, wrong, caller, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = caller
  const { runner, vocabulary } = dependencies
  const { root } = reading
  const input = () => {
    if (wrong === undefined) return { root, list: prepared.lists[field.list]! }
    wrong.authorize(runner)
    // If only lists below are wrong, the runner authorizes this list's own filters.
    return { problems: wrong.details, filters: root.list.filters.map(({ filter }) => filter) }
  }
  const lists = listsOf(reading, prepared)
  const { json, errors } = await runner.list({ source, vocabulary, actor, input, requestTime, lists, deadline, size })
  return { json, errors: entriesOf(errors, field) }
}

async function summary(
  { field, resource, shape }: Extract<RootCall, { is: 'summary' }>,
  { prepared, wrong, caller, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = caller
  const { runner, vocabulary } = dependencies
  const input = () => {
    if (wrong === undefined) return { shape, list: prepared.lists[field.list]!, zone: prepared.zones[field.list]! }
    wrong.authorize(runner)
    return { problems: wrong.details, filters: shape.rows.filters.map(({ filter }) => filter) }
  }
  const { json } = await runner.summary({ resource, vocabulary, actor, input, requestTime, deadline, size })
  return { json, errors: [] }
}

async function route(
  call: Extract<RootCall, { is: 'route' }>,
  args: Variables,
  { caller, dependencies }: Execution,
): Promise<Answer> {
  const { actor, origin, request, takeRoute, size } = caller
  invariant(request !== undefined, 'a service that has routes knows their request')
  const of = { actor, origin: origin ?? null, request, takeRoute }
  const json = await runRoute(call, args, of, dependencies.routes)
  size?.grow(size.chars + json.length)
  return { json, errors: [] }
}

function nameOf(
  { resource, key }: { readonly resource: ResourceModel; readonly key?: KeyModel | undefined },
  args: Variables,
  actor: Requester,
  { vocabulary }: RunDependencies,
): RecordName {
  return key === undefined ? (args['id'] as string) : keyNameOf(key, resource, args, vocabulary, actor)
}

async function upsert(
  call: Extract<RootCall, { is: 'upsert' | 'upsertMany' }>,
  args: Variables,
  problems: readonly Detail[],
  { prepared, wrong, caller, dependencies }: Execution,
): Promise<Answer> {
  const { actor, origin, deadline, size } = caller
  const { field, resource, reading } = call
  const { runner, vocabulary, limits } = dependencies
  const outcome = await runner.upsert({
    create: resource.actions.get('create')!,
    update: resource.actions.get('update')!,
    actor,
    input: () => {
      const all = [...problems, ...(wrong?.details ?? [])]
      const targets = readUpserts(call, args, vocabulary, actor, limits.batch, all)
      return { targets, problems: all }
    },
    vocabulary,
    root: reading.root,
    lists: listsOf(reading, prepared),
    request: origin ?? null,
    deadline,
    size,
  })
  return call.is === 'upsert' ? written(outcome.records[0]!, field, []) : writtenMany(outcome, field)
}

async function write(
  call: Extract<RootCall, { is: 'write' }>,
  args: Variables,
  argumentProblems: readonly Detail[],
  { prepared, wrong, caller, dependencies }: Execution,
): Promise<Answer> {
  const { actor, origin, deadline, size } = caller
  const { runner, vocabulary, limits } = dependencies
  const { action, field, reading } = call
  const input = () => {
    const targets = targetsOf(call, args, vocabulary, actor)
    const ofTargets = problemsOf(call, args, targets, limits.batch, vocabulary)
    const problems = [...argumentProblems, ...ofTargets, ...(wrong?.details ?? [])]
    if (call.selection === null) return { targets, problems }
    const dryRun = (args['input'] as Variables)['dryRun'] === true
    if (!hasCondition(args)) return { targets, problems, dryRun }
    const selection = wrong === undefined ? { root: call.selection, list: prepared.lists[field.list]! } : null
    return { targets, problems, dryRun, selection }
  }
  const outcome = await runner.write({
    action,
    actor,
    input,
    vocabulary,
    root: reading?.root ?? null,
    lists: reading === null ? [] : listsOf(reading, prepared),
    request: origin ?? null,
    deadline,
    size,
  })
  if (call.targets === 'bulk') return { json: printCount(field.below[0]!, outcome), errors: [] }
  if (reading === null) return { json: 'true', errors: [] }
  if (call.targets === 'one') return written(outcome.records[0]!, field, [])
  return writtenMany(outcome, field)
}

function writtenMany(outcome: WriteOutcome, field: TreeField): Answer {
  const answers = outcome.records.map((each, index) => written(each, field, [index]))
  const refused = answers.findIndex(({ json }) => json === null)
  const answersUpToRefusal = refused === -1 ? answers : answers.slice(0, refused + 1)
  return {
    json: refused === -1 ? `[${answers.map(({ json }) => json).join(',')}]` : null,
    errors: answersUpToRefusal.flatMap(({ errors }) => errors),
  }
}

function printCount({ type, fields }: Branch, { ids }: WriteOutcome): string {
  const parts = fields.map(
    ({ key, meaning }) => `"${key}":${meaning === undefined ? JSON.stringify(type.name) : ids.length}`,
  )
  return `{${parts.join(',')}}`
}

const written = ({ json, errors }: RecordAnswer, field: TreeField, path: readonly number[]): Answer => ({
  json,
  errors: entriesOf(errors, field, path),
})

const listsOf = ({ lists }: Reading, prepared: PreparedOperation) => lists.map((list) => prepared.lists[list]!)

const entriesOf = (
  errors: readonly PathError[],
  field: TreeField,
  within: readonly (string | number)[] = [],
): readonly ErrorEntry[] =>
  errors.map(({ code, path: ofRecord }) => {
    const path = [...within, ...ofRecord]
    return entryOf(new Failure(code), { ...locationsAt(field, path), path: [field.key, ...path] })
  })
