// Reads of code in a transaction: as its actor, including what the transaction has written.

import type { Failure } from '../../failure/failure.ts'
import {
  type Arguments,
  type ListAnswer,
  type RecordAnswer,
  runAggregate,
  runList,
  runRecord,
} from '../../read-plan/run.ts'
import { runSummary } from '../../read-plan/summary.ts'
import { shownBy } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import type { Program, Run } from '../../store/store.ts'
import type { ListInput, SummaryCall } from '../call.ts'
import type { CodeFace } from '../code-face.ts'
import type { RunnerContext } from '../context.ts'
import { aggregateInput, readAggregate } from '../question/aggregate.ts'
import { ofNamedTenant } from '../question/few-tenants.ts'
import { acceptList } from '../question/read.ts'
import { noteRead } from '../row/read-notes.ts'
import { tenantRole } from '../row/tenant-role.ts'
import type { WriteScope } from '../write-scope.ts'
import { type ResourceReference, readsBy, type Values } from './reads.ts'

export interface ReadDependencies {
  readonly scope: WriteScope
  /** Runs a program after those begun before. */
  readonly run: Run
  readonly resourceOf: (of: ResourceReference) => ResourceModel
  /** Locks records before they are read. Null: reads without a lock, and compares before writing. */
  readonly lock: ((resource: ResourceModel, ids: readonly string[]) => Program<void>) | null
  /** The failure if these records are missing or hidden. */
  readonly missing: (resource: ResourceModel, ids: readonly string[]) => Failure
}

export function readsOf({ scope, run, resourceOf, lock, missing }: ReadDependencies) {
  const { context, actor, now, dialect } = scope
  const { plans, limits } = context
  const basis = { ...shownBy(actor), requestTime: now, lists: [], tenantsMax: limits.listTenants }
  const from: Transaction = { plans, limits, actor, dialect, basis, lock }
  const noted = (rows: readonly Values[]): readonly Values[] => {
    if (lock === null) for (const row of rows) noteRead(row, scope)
    return rows
  }
  const reads = readsBy({
    faceOf: (of) => context.codeFaces(resourceOf(of), actor),
    async record(face, id) {
      const answer = await run(readRecord(face, id, from))
      if (answer === null) throw missing(face.resource, [id])
      return noted([face.row(answer.json)])[0]!
    },
    async page(face, which) {
      const { json, hasNext, nextCursor } = await run(readLockedPage(face, face.lists.read(which, actor), from))
      return { rows: noted(face.rows(json)), hasNext, nextCursor }
    },
    async summary(face, which) {
      const { shape, list, zone } = acceptList(face.summary.read(which, actor), questionOf(face, from))
      const summary = runSummary(plans.summary(shape, actor), { ...basis, list, zone }, dialect)
      const { json, hasNext } = await run(ofNamedTenant(summary, questionOf(face, from), limits))
      return { groups: face.summary.groups(json, shape), hasNext }
    },
    total: (face, which, aggregate) =>
      run(readTotal(face, aggregateInput(face.lists.read(which, actor), aggregate), from)),
  })
  /** Null if the account is no member, or the actor may not read that. */
  const roleIn = (tenant: string, account: string | null): Promise<string | null> =>
    run(tenantRole({ tenant, account, lock }, scope))
  return { ...reads, tenantRole: roleIn }
}

type Transaction = Pick<RunnerContext, 'plans' | 'limits' | 'dialect'> &
  Pick<WriteScope, 'actor'> &
  Pick<ReadDependencies, 'lock'> & { readonly basis: Arguments }

const questionOf = (
  { resource }: CodeFace,
  { actor }: Transaction,
): Pick<SummaryCall, 'resource' | 'actor' | 'vocabulary'> => ({ resource, actor, vocabulary: asDefined })

function* readRecord(face: CodeFace, id: string, from: Transaction): Program<RecordAnswer | null> {
  const { plans, actor, basis, lock } = from
  if (lock !== null) yield* lock(face.resource, [id])
  return yield* runRecord(plans.plan(face.record, actor), { ...basis, id }, from.dialect)
}

/** Reads again what changed before it was locked. */
function* readLockedPage(face: CodeFace, input: ListInput, from: Transaction): Program<ListAnswer> {
  const answer = yield* readPage(face, input, from)
  const ids = from.lock === null ? [] : face.rows(answer.json).map(({ id }) => id as string)
  if (from.lock === null || ids.length === 0) return answer
  yield* from.lock(face.resource, ids.sort())
  return yield* readPage(face, input, from)
}

function* readPage(face: CodeFace, input: ListInput, from: Transaction): Program<ListAnswer> {
  const { root, list } = acceptList(input, questionOf(face, from))
  const page = runList(from.plans.plan(root, from.actor), { ...from.basis, list }, from.dialect)
  return (yield* ofNamedTenant(page, questionOf(face, from), from.limits))!
}

function* readTotal(face: CodeFace, input: ListInput, from: Transaction): Program<unknown> {
  const { root, list } = acceptList(input, questionOf(face, from))
  const total = runAggregate(from.plans.plan(root, from.actor), { ...from.basis, list }, from.dialect)
  return readAggregate(yield* ofNamedTenant(total, questionOf(face, from), from.limits), root, from.dialect)
}
