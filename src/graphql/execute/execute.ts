// Runs prepared calls and combines their JSON: queries concurrently, mutations in order. (contract 4.8, 7.3)

import { isNonNullType } from 'graphql'
import type { Deadline } from '../../budget/deadline.ts'
import type { FailureCode } from '../../failure/failure.ts'
import { type ErrorEntry, entryOf, Refusal } from '../error.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import type { TreeField } from '../prepare/tree.ts'
import { type Answer, type Caller, type RunDependencies, runCall } from './run-call.ts'

/** JSON text, and the code of its first error. */
export interface Executed {
  readonly body: string
  readonly failure: FailureCode | null
}

/**
 * Failures are part of the answer. Throws only if it is too large: QUERY_TOO_COMPLEX, or SERVICE_UNAVAILABLE if other answers
 * hold too much memory. (contract 8.4.6)
 */
export async function execute(
  prepared: PreparedOperation,
  caller: Caller,
  dependencies: RunDependencies,
): Promise<Executed> {
  const { operation, calls } = prepared
  const isInTurn = operation.type === 'mutation' || calls.length === 1
  const answers = await (isInTurn ? runInTurn : runAtOnce)(prepared, caller, dependencies)
  try {
    if (caller.size?.failure) throw caller.size.failure
    const executed = assemble(prepared, answers)
    caller.size?.finish(executed.body)
    return executed
  } catch (error) {
    const failure = caller.size?.failure ?? null
    throw failure?.code === 'QUERY_TOO_COMPLEX' ? new Refusal([entryOf(failure)]) : error
  }
}

/** Awaits all, even after a failure: until they end they hold memory. */
function runAtOnce(
  prepared: PreparedOperation,
  caller: Caller,
  dependencies: RunDependencies,
): Promise<readonly Answer[]> {
  const stopping = { ...caller, deadline: stopsWith(caller) }
  return Promise.all(prepared.calls.map((_, index) => runCall(prepared, index, stopping, dependencies)))
}

/** Stops the other fields once one has made the answer too large. */
function stopsWith({ deadline, size }: Caller): Deadline | undefined {
  if (size === undefined) return deadline
  return {
    ended: () => size.failure ?? deadline?.ended() ?? null,
    expired: () => deadline?.expired() ?? null,
  }
}

/** They are non-null: after a failure the rest could not be returned. (GraphQL specification, "Handling Execution Errors") */
async function runInTurn(
  prepared: PreparedOperation,
  caller: Caller,
  dependencies: RunDependencies,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < prepared.calls.length; index++) {
    const answer = await runCall(prepared, index, caller, dependencies)
    answers.push(answer)
    if (answer.json === null && !mayBeNull(prepared.calls[index]!.field)) break
  }
  return answers
}

/** Null propagates from a non-null field to `data`. (contract 2.7.9) */
function assemble({ calls }: PreparedOperation, answers: readonly Answer[]): Executed {
  const errors: ErrorEntry[] = []
  let data = '{'
  for (let index = 0; index < answers.length; index++) {
    const { field } = calls[index]!
    const { json, errors: own } = answers[index]!
    if (own.length > 0) errors.push(...own)
    if (json === null && !mayBeNull(field)) return executed('null', errors)
    data += `${index === 0 ? '' : ','}"${field.key}":${json}`
  }
  return executed(`${data}}`, errors)
}

const mayBeNull = ({ field }: TreeField): boolean => !isNonNullType(field.type)

const executed = (data: string, errors: readonly ErrorEntry[]): Executed => ({
  body: bodyOf(data, errors),
  failure: errors.length === 0 ? null : errors[0]!.extensions.code,
})

/** Errors come first, as the specification recommends. (GraphQL specification, "Response Format") */
const bodyOf = (data: string, errors: readonly ErrorEntry[]): string =>
  errors.length === 0 ? `{"data":${data}}` : `{"errors":${JSON.stringify(errors)},"data":${data}}`
