// The runner: carries out the calls of every face. The only place that decides.

import { type Deadline, questionTooSlow, requireWaiting, within } from '../../budget/deadline.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import type { Program } from '../../store/store.ts'
import { authorizeActor, requireReadScope } from '../authorize.ts'
import type { Runner, Write, WriteCall, WriteOutcome } from '../call.ts'
import type { RunnerContext, Written } from '../context.ts'
import { recordRoom } from '../input/list-input.ts'
import { type InputMode, type Validation, validate } from '../input/validate.ts'
import { createReads } from '../question/read.ts'
import { newTokensOf } from '../record-selection.ts'
import { keyUse, stillRunning } from '../row/idempotency.ts'
import {
  authorizePart,
  type ChildPart,
  childParts,
  noSecrets,
  type Part,
  type PartAccess,
  type TargetSecrets,
} from '../target/part.ts'
import type { StageScope } from '../target/stages.ts'
import { type CheckedWrite, makeTokens, type RequestPart } from '../target/target-state.ts'
import type { ValidInput } from '../valid-input.ts'
import { authorizeSelection, bulkProgram, type Selected, selectProgram } from './bulk.ts'
import { sharing } from './shared-write.ts'
import { createTransact, type Opening } from './transact.ts'
import { createUpsert, type UpsertMode } from './upsert.ts'
import { writeProgram } from './write.ts'

export function createRunner(context: RunnerContext): Runner {
  const { store, dialect } = context
  const statements = createWriteStatements(dialect)
  const transact = createTransact(context, statements)
  const running = new Set<string>()

  /** A replay succeeds, whatever fails here. */
  const select = (checked: CheckedWrite, now: Date): Promise<Selected> =>
    store.read(selectProgram(checked, { context, now, dialect }), timeOf(checked.call, context)).then(
      (ids) => ({ ids }),
      (error: unknown) => ({ error }),
    )

  async function write({ input, ...rest }: WriteCall): Promise<WriteOutcome> {
    authorizeActor(rest.action, rest.actor) //                                 UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE
    return writeAll([{ call: { ...rest, ...input() }, indexes: null }])
  }

  async function writeAll(
    requests: readonly RequestPart[],
    { isSeparate, lockWaitMs }: UpsertMode = {},
  ): Promise<WriteOutcome> {
    const [{ call }] = requests as readonly [RequestPart]
    const { action, actor } = call
    const accesses = requests.map((each) => authorizeCall(each.call))
    const problems = [...(call.problems ?? [])]
    const parts = validated(requests, problems, context)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    for (const each of requests) context.afterValidation(each.call) //         BUSINESS_RULE_VIOLATION
    const key = call.idempotency === undefined ? null : keyUse(call.idempotency, actor, context.secrets)
    if (key !== null && running.has(key.scope)) throw stillRunning() //        CONFLICT
    if (key !== null) running.add(key.scope)
    try {
      requireWaiting(call.deadline)
      const writes: CheckedWrite[] = []
      for (const [at, each] of requests.entries())
        writes.push(await checkedWrite(each, parts[at]!, accesses[at]!, key, context))
      const now = context.clock()
      const reach = reachOf(writes, context)
      const charsBefore = call.size?.chars ?? 0
      const selected = call.selection == null ? null : await select(writes[0]!, now)
      const { vocabulary, request } = call
      const deadline = timeOf(call, context)
      const { resource } = action
      const opening: Opening = { actor, vocabulary, request, resource, isSeparate, ...reach, now, deadline }
      const isShared = !reach.isExclusive && writes.length === 1 && lockWaitMs === undefined
      const options = isShared ? sharing(writes[0]!, context.model.accounts.resource) : { lockWaitMs }
      const program = (scope: StageScope): Program<Written> => {
        // Characters counted in a transaction that lost a race are not answered.
        call.size?.grow(charsBefore)
        return selected === null ? writeProgram(writes, scope) : bulkProgram(writes[0]!, selected, scope)
      }
      return (await transact(opening, program, options)).outcome
    } finally {
      if (key !== null) running.delete(key.scope)
    }
  }

  /** What needs no record, of one part. Fails with FORBIDDEN, INSUFFICIENT_SCOPE and REAUTHENTICATION_REQUIRED. */
  function authorizeCall(call: Write): PartAccess {
    const { action, actor, targets } = call
    if (call.selection !== undefined) authorizeSelection(call)
    if (targets.some(({ id }) => typeof id === 'object')) requireReadScope(action.resource, actor)
    const sent = targets.map((each) => each.input)
    const access = authorizePart(action, sent, call, context.clock())
    context.beforeValidation(call)
    return access
  }

  return { ...createReads(context, statements), write, upsert: createUpsert(context, statements, writeAll) }
}

function validated(
  requests: readonly RequestPart[],
  problems: Detail[],
  { limits }: RunnerContext,
): readonly (readonly ValidInput[])[] {
  const targets = requests.reduce((sum, { call }) => sum + call.targets.length, 0)
  const room = recordRoom(limits.recordsPerWrite - targets)
  return requests.map(({ call, indexes }) => {
    const form: Validation = {
      names: call.vocabulary,
      actor: call.actor,
      limits,
      room,
      problems,
      indexes,
      isForMany: call.selection != null,
    }
    return validate(call.action, call.targets, modeOf(call), form)
  })
}

function reachOf(
  writes: readonly CheckedWrite[],
  { model }: RunnerContext,
): Pick<Opening, 'resources' | 'runsEffects' | 'isExclusive'> {
  const resources: ResourceModel[] = []
  let runsEffects = model.onWrite !== null
  let isExclusive = runsEffects
  const note = ({ effect, checkReads }: ActionModel): void => {
    runsEffects ||= effect !== null
    isExclusive ||= effect !== null || checkReads
  }
  for (const write of writes) {
    for (const { action, inputs } of [write, ...write.children]) {
      resources.push(action.resource)
      note(action)
      // Moves that follow a create.
      for (const { also } of inputs) for (const each of also) note(each)
    }
    for (const { list } of write.replacements) {
      const removal = list.relation.target.actions.get('delete')
      if (removal !== undefined) note(removal)
    }
  }
  return { resources, runsEffects, isExclusive }
}

async function checkedWrite(
  request: RequestPart,
  inputs: readonly ValidInput[],
  access: PartAccess,
  key: CheckedWrite['key'],
  context: RunnerContext,
): Promise<CheckedWrite> {
  const { parts, replacements } = childParts(inputs, access)
  const root = await withSecrets({ ...access, action: request.call.action, inputs }, context)
  const children: ChildPart[] = []
  for (const part of parts) children.push(await withSecrets(part, context))
  return { ...root, ...request, children, replacements, key }
}

/** A condition may have no index. (contract 12.1.13) */
const timeOf = ({ selection, deadline }: Write, { limits }: RunnerContext): Deadline | undefined =>
  selection == null ? deadline : within(limits.whereTimeoutMs, questionTooSlow, deadline)

const modeOf = ({ action, replace }: Write): InputMode =>
  action.kind !== 'update' ? 'complete' : replace === true ? 'replace' : 'partial'

async function withSecrets<P extends Omit<Part, 'secrets'>>(part: P, context: RunnerContext) {
  const { action, inputs } = part
  if (!hasSecrets(action)) return { ...part, secrets: inputs.map(() => noSecrets) }
  return { ...part, secrets: await Promise.all(inputs.map((input) => makeSecrets(action, input, context))) }
}

const hasSecrets = (action: ActionModel): boolean =>
  action.accept.some(({ spec }) => spec.kind === 'password') || newTokensOf(action).length > 0

async function makeSecrets(
  action: ActionModel,
  { fields }: ValidInput,
  { secrets }: RunnerContext,
): Promise<TargetSecrets> {
  const hashes = new Map<string, string>()
  for (const { field, spec } of action.accept) {
    if (spec.kind === 'password' && typeof fields[field] === 'string')
      hashes.set(field, await secrets.hashPassword(fields[field]))
  }
  const newTokens = makeTokens(newTokensOf(action), secrets)
  return { hashes: new Map([...hashes, ...newTokens.hashes]), tokens: newTokens.tokens }
}
