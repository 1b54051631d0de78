// The runner: carries out the calls of every face. Nothing about a resource is decided anywhere else.

import { type Deadline, questionTooSlow, requireWaiting, within } from '../budget/deadline.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import { UniqueViolation } from '../store/store.ts'
import { authorizeActor } from './authorize.ts'
import { authorizeSelection, bulkProgram } from './bulk.ts'
import type { Runner, Write, WriteCall, WriteOutcome } from './call.ts'
import { CombinedViolation, takenValue } from './commit.ts'
import type { RunnerContext } from './context.ts'
import { keyUse, stillRunning } from './idempotency.ts'
import {
  authorizePart,
  type ChildPart,
  childParts,
  noSecrets,
  type Part,
  type Replacement,
  type TargetSecrets,
} from './part.ts'
import { createReads } from './read.ts'
import { sharing } from './shared-write.ts'
import { type CheckedWrite, makeTokens } from './target-state.ts'
import { createUpsert } from './upsert.ts'
import type { ValidInput } from './valid-input.ts'
import { type InputMode, validate } from './validate.ts'
import { writeProgram } from './write.ts'
import { openWriteScope } from './write-scope.ts'

export function createRunner(context: RunnerContext): Runner {
  const { store, dialect } = context
  const statements = createWriteStatements(dialect)
  const running = new Set<string>()

  async function write({ input, ...rest }: WriteCall): Promise<WriteOutcome> {
    const { action, actor } = rest
    authorizeActor(action, actor) //                                           UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE
    const call: Write = { ...rest, ...input() }
    if (call.selection !== undefined) authorizeSelection(call)
    const sent = call.targets.map((each) => each.input)
    const access = authorizePart(action, sent, call)
    context.beforeValidation(call)
    const { vocabulary: names, problems } = call
    const form = { names, problems, limits: context.limits, isForMany: call.selection != null }
    const inputs = validate(action, call.targets, modeOf(call), form) //       VALIDATION_ERROR
    context.afterValidation(call) //                                                       BUSINESS_RULE_VIOLATION
    const key = call.idempotency === undefined ? null : keyUse(call.idempotency, actor, context.secrets)
    if (key !== null && running.has(key.scope)) throw stillRunning() //        CONFLICT
    if (key !== null) running.add(key.scope)
    try {
      requireWaiting(call.deadline)
      const root = await withSecrets({ ...access, action, inputs }, context)
      const children: ChildPart[] = []
      const below = inputs.some(({ lists }) => lists.children.length + lists.replaced.length > 0)
      const { parts, replacements } = below ? childParts(inputs, access) : noChildren
      for (const part of parts) children.push(await withSecrets(part, context))
      const checked: CheckedWrite = { ...root, call, children, replacements, key }
      const now = context.clock()
      const isWaitedFor = (part: Part) =>
        isAwaited(part.action) || part.inputs.some((each) => each.also.some(isAwaited))
      const exclusive =
        context.model.onWrite !== null || [root, ...children].some(isWaitedFor) || replacements.some(mayWait)
      const charsBefore = call.size?.chars ?? 0
      const program = (isSeparate: boolean) => () => {
        // What was counted in a transaction that lost a race is not answered.
        call.size?.grow(charsBefore)
        const scope = openWriteScope(context, statements, now, call, isSeparate)
        return call.selection == null ? writeProgram(checked, scope) : bulkProgram(checked, scope)
      }
      const options = { exclusive, deadline: timeOf(call, context) }
      const share = exclusive ? {} : sharing(checked, context.model.accounts.resource)
      const written = await store.write(program(false), { ...options, ...share }).catch((error: unknown) => {
        if (!(error instanceof CombinedViolation)) throw error
        return store.write(program(true), options)
      })
      if (written.change !== null) context.committed(written.change)
      return written.outcome
    } catch (error) {
      // What an effect writes is of no target in particular.
      throw error instanceof UniqueViolation
        ? takenValue(error, action, { ...call, context, dialect, target: 0 })
        : error
    } finally {
      if (key !== null) running.delete(key.scope)
    }
  }

  return { ...createReads(context, statements), write, upsert: createUpsert(context, statements, write) }
}

/** What a condition asks may have no index. (contract 12.1.13) */
const timeOf = ({ selection, deadline }: Write, { limits }: RunnerContext): Deadline | undefined =>
  selection == null ? deadline : within(limits.whereTimeoutMs, questionTooSlow, deadline)

/** Whether code of the definition is waited for in the transaction. */
const isAwaited = ({ effect, checkReads }: ActionModel): boolean => effect !== null || checkReads

/** The same of the delete of what a list leaves out. */
const mayWait = ({ list }: Replacement): boolean => {
  const deletion = list.relation.target.actions.get('delete')
  return deletion !== undefined && isAwaited(deletion)
}

const noChildren: ReturnType<typeof childParts> = { parts: [], replacements: [] }

const modeOf = ({ action, replace }: Write): InputMode =>
  action.kind !== 'update' ? 'complete' : replace === true ? 'replace' : 'partial'

/** At once where there is no secret, for most writes have none and are not to wait. */
const withSecrets = <P extends Omit<Part, 'secrets'>>(part: P, context: RunnerContext) =>
  hasSecrets(part.action)
    ? Promise.all(part.inputs.map((input) => makeSecrets(part.action, input, context))).then((secrets) => ({
        ...part,
        secrets,
      }))
    : { ...part, secrets: part.inputs.map(() => noSecrets) }

const hasSecrets = ({ accept, kind, resource }: ActionModel): boolean =>
  accept.some(({ spec }) => spec.kind === 'password') ||
  (kind === 'create' && resource.columns.some(({ spec }) => spec.kind === 'token'))

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
  if (action.kind !== 'create') return { hashes, tokens: {} }
  const newTokens = makeTokens(action.resource, secrets)
  return { hashes: new Map([...hashes, ...newTokens.hashes]), tokens: newTokens.tokens }
}
