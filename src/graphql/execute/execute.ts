// Runs prepared calls and puts their JSON together: queries at once, mutations one after the other. (contract 4.8, 7.3)

import { isNonNullType } from 'graphql'
import type { Deadline } from '../../budget/deadline.ts'
import type { FailureCode } from '../../failure/failure.ts'
import { type ErrorEntry, entryOf, Refusal } from '../error.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import type { TreeField } from '../prepare/tree.ts'
import { type Answer, type Asker, type RunDependencies, runCall } from './run-call.ts'

/** The answer to an operation as JSON text, and the code of the first error that it tells. */
export interface Executed {
  readonly body: string
  readonly failure: FailureCode | null
}

/**
 * Executes an operation. Whatever happens is in the answer, unless that is too large: then there is none, but a Refusal
 * with QUERY_TOO_COMPLEX, or SERVICE_UNAVAILABLE where others hold too much at the moment. (contract 8.4.6)
 */
export async function execute(
  prepared: PreparedOperation,
  asker: Asker,
  dependencies: RunDependencies,
): Promise<Executed> {
  const { operation, calls } = prepared
  const isInTurn = operation.type === 'mutation' || calls.length === 1
  const answers = await (isInTurn ? runInTurn : runAtOnce)(prepared, asker, dependencies)
  try {
    if (asker.size?.failure) throw asker.size.failure
    const executed = assemble(prepared, answers)
    asker.size?.finish(executed.body)
    return executed
  } catch (error) {
    const failure = asker.size?.failure ?? null
    throw failure?.code === 'QUERY_TOO_COMPLEX' ? new Refusal([entryOf(failure)]) : error
  }
}

/** All are awaited, whatever one of them fails with: until then they hold memory, and room. */
function runAtOnce(
  prepared: PreparedOperation,
  asker: Asker,
  dependencies: RunDependencies,
): Promise<readonly Answer[]> {
  const stopping = { ...asker, deadline: stopsWith(asker) }
  return Promise.all(prepared.calls.map((_, index) => runCall(prepared, index, stopping, dependencies)))
}

/** Once one field has made the answer too large, the others need not be read. */
function stopsWith({ deadline, size }: Asker): Deadline | undefined {
  if (size === undefined) return deadline
  return {
    ended: () => size.failure ?? deadline?.ended() ?? null,
    expired: () => deadline?.expired() ?? null,
  }
}

/**
 * One mutation after the other. All of them are non-null, so the first that fails takes `data` with it: what follows is
 * not run, since nobody could be told of it. (GraphQL specification, "Handling Execution Errors")
 */
async function runInTurn(
  prepared: PreparedOperation,
  asker: Asker,
  dependencies: RunDependencies,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < prepared.calls.length; index++) {
    const answer = await runCall(prepared, index, asker, dependencies)
    answers.push(answer)
    if (answer.json === null && !mayBeNull(prepared.calls[index]!.field)) break
  }
  return answers
}

/** Null goes up to `data` from a field that cannot be null; of what follows nothing is told then. (contract 2.7.9) */
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

/** Errors first, so that nobody overlooks them. (GraphQL specification, "Response Format") */
const bodyOf = (data: string, errors: readonly ErrorEntry[]): string =>
  errors.length === 0 ? `{"data":${data}}` : `{"errors":${JSON.stringify(errors)},"data":${data}}`
