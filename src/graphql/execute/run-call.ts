// Runs one field of an operation: the arguments become a call of the runner, its outcome becomes JSON and errors.

import type { GraphQLSchema } from 'graphql'
import type { RecordName, Runner, WriteOutcome } from '../../action/call.ts'
import type { AnswerSize } from '../../budget/answer-size.ts'
import type { Deadline } from '../../budget/deadline.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import type { WatchedOperation } from '../../observation/watch.ts'
import type { PathError } from '../../read-plan/printing.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import { accountOf, actorOf, type Requester } from '../../resource/actor.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import { type KeyName, upsertActions } from '../../resource/model/key.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { type ErrorEntry, entryOf, entryOfThrown } from '../error.ts'
import type { Reading, RecordReading, RootCall } from '../prepare/compile.ts'
import type { Variables } from '../prepare/field-collector.ts'
import { locationsAt, locationsOf } from '../prepare/location.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import { tokenMark } from '../prepare/selection.ts'
import { detailNames, hasCondition, problemsOf, targetsOf } from '../prepare/target.ts'
import type { Branch, TreeField } from '../prepare/tree.ts'
import type { WrongLists } from '../prepare/wrong-lists.ts'
import { introspect } from './introspect.ts'
import { printSummary } from './summary.ts'

/** Who asks, and for whom the log tells of bugs. */
export interface Asker {
  readonly actor: Requester
  readonly requestId: string
  /** What the client calls itself, as it was sent. */
  readonly clientName?: string | readonly string[] | undefined
  /** When it was asked: all fields of an operation are read at this moment. */
  readonly requestTime?: Date
  /** How long somebody waits for the answer. */
  readonly deadline?: Deadline | undefined
  /** Counts the whole answer. */
  readonly size?: AnswerSize | undefined
  /** The values that a bug may quote and the log must not. */
  readonly redaction?: { readonly secrets?: () => readonly string[] }
  /** Set once it is known what is asked, for whoever watches. */
  operation?: WatchedOperation
}
export interface RunDependencies {
  readonly runner: Runner
  readonly schema: () => GraphQLSchema
  readonly vocabulary: Vocabulary
  readonly limits: { readonly batch: number }
  /** Told of what should never happen. */
  readonly reportBug: ReportBug
}
export type ReportBug = (bug: unknown, requestId: string, secrets?: readonly string[]) => void
/** The value of one field; null is null. */
export interface Answer {
  readonly json: string | null
  readonly errors: readonly ErrorEntry[]
}

/**
 * Never rejects: a failure or a bug is an error at the path of the field. What the size of the answer fails with is no
 * field's: whoever puts the answer together finds it there.
 */
export async function runCall(
  prepared: PreparedOperation,
  index: number,
  asker: Asker,
  dependencies: RunDependencies,
): Promise<Answer> {
  const call = prepared.calls[index]!
  const wrong = prepared.wrongLists.get(index)
  try {
    return await run(call, prepared.args[index]!, { prepared, wrong, asker, dependencies })
  } catch (error) {
    if (error === asker.size?.failure) return nothing
    const { key } = call.field
    const nodes = nodesAt(error, call, wrong)
    const nameDetail = call.is === 'write' ? detailNames(call) : undefined
    const log = (bug: unknown) => dependencies.reportBug(bug, asker.requestId, asker.redaction?.secrets?.())
    return { json: null, errors: [entryOfThrown(error, { ...locationsOf(nodes), path: [key] }, log, nameDetail)] }
  }
}

const nothing: Answer = { json: null, errors: [] }

/** Where the document is wrong: the lists that are, for they can stand far below the field that fails with them. */
const nodesAt = (error: unknown, { is, field }: RootCall, wrong: WrongLists | undefined) =>
  wrong !== undefined && is !== 'write' && error instanceof Failure && error.code === 'VALIDATION_ERROR'
    ? wrong.nodes
    : field.nodes

/** What is the same for whatever a field asks. */
interface Execution {
  readonly prepared: PreparedOperation
  /** The lists of the field that are wrong; undefined where none is. */
  readonly wrong: WrongLists | undefined
  readonly asker: Asker
  readonly dependencies: RunDependencies
}

function run(call: RootCall, args: Variables, execution: Execution): Answer | Promise<Answer> {
  const { wrong, asker, dependencies } = execution
  const { actor } = asker
  switch (call.is) {
    case 'typename':
      return { json: call.json, errors: [] }
    case 'introspection':
      return introspection(call.field, execution)
    case 'record':
      return record(call, nameOf(call, args, dependencies), execution)
    case 'upsert':
      return upsert(call, args, execution)
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
      return write(call, args, execution)
  }
}

function introspection(field: TreeField, { prepared, asker: { size }, dependencies }: Execution): Answer {
  const answer = introspect(dependencies.schema(), prepared, field)
  size?.grow(size.chars + (answer.json?.length ?? 0))
  return answer
}

async function record(
  { field, reading }: { readonly field: TreeField; readonly reading: RecordReading },
  id: RecordName,
  { prepared, wrong, asker, dependencies: { runner } }: Execution,
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = asker
  const { json, errors } = await runner.record({
    resource: reading.root.of.resource,
    root: wrong === undefined ? reading.root : () => wrong.refuse(runner),
    actor,
    id,
    requestTime,
    lists: listsOf(reading, prepared),
    deadline,
    size,
  })
  return { json, errors: entriesOf(errors, field) }
}

/** A record, or why there is none for this actor: then there are no errors. (contract 4.8.10) */
async function result(call: Extract<RootCall, { is: 'result' }>, id: string, execution: Execution): Promise<Answer> {
  try {
    return await record(call, id, execution)
  } catch (error) {
    // Some failures are answers of this field's own type.
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
  { prepared, wrong, asker, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = asker
  const { runner, vocabulary } = dependencies
  const { root } = reading
  const input = () => {
    if (wrong === undefined) return { root, list: prepared.lists[field.list]! }
    wrong.authorize(runner)
    // The filters of this list itself, where only lists below are wrong, are the runner's to authorize.
    return { problems: wrong.details, filters: root.list.filters.map(({ filter }) => filter) }
  }
  const lists = listsOf(reading, prepared)
  const { json, errors } = await runner.list({ source, vocabulary, actor, input, requestTime, lists, deadline, size })
  return { json, errors: entriesOf(errors, field) }
}

async function summary(
  { field, resource, shape }: Extract<RootCall, { is: 'summary' }>,
  { prepared, wrong, asker, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestTime, deadline, size } = asker
  const { runner, vocabulary } = dependencies
  const input = () => {
    if (wrong === undefined) return { shape, list: prepared.lists[field.list]!, zone: prepared.zones[field.list]! }
    wrong.authorize(runner)
    return { problems: wrong.details, filters: shape.rows.filters.map(({ filter }) => filter) }
  }
  const answer = await runner.summary({ resource, vocabulary, actor, input, requestTime, deadline, size })
  const json = printSummary(field.below[0]!, answer, shape)
  size?.grow(size.chars + json.length)
  return { json, errors: [] }
}

function nameOf(
  { resource, key }: { readonly resource: ResourceModel; readonly key?: KeyModel | undefined },
  args: Variables,
  { vocabulary }: RunDependencies,
): RecordName {
  if (key === undefined) return args['id'] as string
  return { key, sent: key.columns.map(({ field }) => args[vocabulary.name(resource, field)]) }
}

async function upsert(
  { field, resource, reading }: Extract<RootCall, { is: 'upsert' }>,
  args: Variables,
  { prepared, wrong, asker, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestId, deadline, size } = asker
  const { runner, vocabulary } = dependencies
  const by = args['by'] as Variables
  const key = keyIn(by, resource, vocabulary)
  const outcome = await runner.upsert({
    create: resource.actions.get('create')!,
    update: resource.actions.get('update')!,
    actor,
    input: () => {
      if (key === null) throw new Failure('VALIDATION_ERROR', { details: [{ field: 'by', message: notOneKey }] })
      const name = nameOf({ resource, key }, by, dependencies) as KeyName
      return { name, input: args['input'], problems: wrong?.details ?? [] }
    },
    vocabulary,
    root: reading.root,
    lists: listsOf(reading, prepared),
    requestId,
    deadline,
    size,
  })
  return written(outcome, 0, field, [])
}
const notOneKey = 'Must have the fields of one key, and no others.'

/** The key whose fields these are; null where they are those of none. */
function keyIn(by: Variables, resource: ResourceModel, vocabulary: Vocabulary): KeyModel | null {
  const sent = Object.keys(by).filter((name) => by[name] !== undefined)
  const isMeant = ({ columns }: KeyModel) =>
    columns.length === sent.length && columns.every(({ field }) => sent.includes(vocabulary.name(resource, field)))
  return resource.keys.find((key) => isMeant(key) && upsertActions(resource, key) !== null) ?? null
}

async function write(
  call: Extract<RootCall, { is: 'write' }>,
  args: Variables,
  { prepared, wrong, asker, dependencies }: Execution,
): Promise<Answer> {
  const { actor, requestId, deadline, size } = asker
  const { runner, vocabulary, limits } = dependencies
  const { action, field, reading } = call
  const input = () => {
    const targets = targetsOf(call, args)
    const problems = [...problemsOf(call, args, targets, limits.batch), ...(wrong?.details ?? [])]
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
    requestId,
    deadline,
    size,
  })
  if (call.targets === 'bulk') return { json: printCount(field.below[0]!, outcome), errors: [] }
  if (reading === null) return { json: 'true', errors: [] }
  if (call.targets === 'one') return written(outcome, 0, field, [])
  const answers = outcome.records.map((_, index) => written(outcome, index, field, [index]))
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

/** One record that was written, with the tokens that are shown this once. */
function written({ records, tokens }: WriteOutcome, index: number, field: TreeField, path: readonly number[]): Answer {
  const { json, errors } = records[index] as RecordAnswer
  let text = json
  for (const [name, token] of Object.entries(tokens[index] ?? {})) {
    text = text?.replaceAll(tokenMark(name), () => JSON.stringify(token)) ?? null
  }
  return { json: text, errors: entriesOf(errors, field, path) }
}

const listsOf = ({ lists }: Reading, prepared: PreparedOperation) => lists.map((list) => prepared.lists[list]!)

const entriesOf = (
  errors: readonly PathError[],
  field: TreeField,
  within: readonly (string | number)[] = [],
): readonly ErrorEntry[] => errors.map(({ code, path }) => entryAt(code, field, [...within, ...path]))

const entryAt = (code: FailureCode, field: TreeField, path: readonly (string | number)[]): ErrorEntry =>
  entryOf(new Failure(code), { ...locationsAt(field, path), path: [field.key, ...path] })
