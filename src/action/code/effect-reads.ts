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
import { runSummary, type SummaryAnswer } from '../../read-plan/summary.ts'
import { shownBy } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import type { Program, Run } from '../../store/store.ts'
import type { ListInput, SummaryInput } from '../call.ts'
import type { CodeFace } from '../code-face.ts'
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

export type EffectReads = ReturnType<typeof readsOf>

export function readsOf({ scope, run, resourceOf, lock, missing }: ReadDependencies) {
  const { context, actor, now, dialect } = scope
  const basis = { ...shownBy(actor), requestTime: now, lists: [], tenantsMax: context.limits.listTenants }
  const from: Transaction = { context, actor, dialect, basis, lock }
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
      const input = acceptList(face.summary.read(which, actor), {
        resource: face.resource,
        actor,
        vocabulary: asDefined,
      })
      const { json, hasNext } = await run(readSummary(face, input, from))
      return { groups: face.summary.groups(json, input.shape), hasNext }
    },
    total: (face, which, aggregate) =>
      run(readTotal(face, aggregateInput(face.lists.read(which, actor), aggregate), from)),
  })
  /** Null if the account is no member, or the actor may not read that. */
  const roleIn = (tenant: string, account: string | null): Promise<string | null> =>
    run(tenantRole({ tenant, account, lock }, scope))
  return { ...reads, tenantRole: roleIn }
}

type Transaction = Pick<WriteScope, 'context' | 'actor' | 'dialect'> &
  Pick<ReadDependencies, 'lock'> & { readonly basis: Arguments }

function* readRecord(face: CodeFace, id: string, from: Transaction): Program<RecordAnswer | null> {
  const { context, actor, dialect, basis, lock } = from
  if (lock !== null) yield* lock(face.resource, [id])
  return yield* runRecord(context.plans.plan(face.record, actor), { ...basis, id }, dialect)
}

/** Reads again what changed before it was locked. */
function* readLockedPage(face: CodeFace, input: ListInput, from: Transaction): Program<ListAnswer> {
  const answer = yield* readPage(face, input, from)
  const ids = from.lock === null ? [] : face.rows(answer.json).map(({ id }) => id as string)
  if (from.lock === null || ids.length === 0) return answer
  yield* from.lock(face.resource, ids.sort())
  return yield* readPage(face, input, from)
}

function* readPage(
  face: CodeFace,
  input: ListInput,
  { context, actor, dialect, basis }: Transaction,
): Program<ListAnswer> {
  const { root, list } = acceptList(input, { resource: face.resource, actor, vocabulary: asDefined })
  const page = runList(context.plans.plan(root, actor), { ...basis, list }, dialect)
  return (yield* ofNamedTenant(page, { resource: face.resource, vocabulary: asDefined }, context.limits))!
}

function* readSummary(
  { resource }: CodeFace,
  { shape, list, zone }: Accepted,
  { context, actor, dialect, basis }: Transaction,
): Program<SummaryAnswer> {
  const args = { ...basis, list, zone, tenantsMax: context.limits.listTenants }
  const summary = runSummary(context.plans.summary(shape, actor), args, dialect)
  return yield* ofNamedTenant(summary, { resource, vocabulary: asDefined }, context.limits)
}
type Accepted = Extract<SummaryInput, { readonly shape: unknown }>

function* readTotal(
  face: CodeFace,
  input: ListInput,
  { context, actor, dialect, basis }: Transaction,
): Program<unknown> {
  const { root, list } = acceptList(input, { resource: face.resource, actor, vocabulary: asDefined })
  const total = runAggregate(context.plans.plan(root, actor), { ...basis, list }, dialect)
  const row = yield* ofNamedTenant(total, { resource: face.resource, vocabulary: asDefined }, context.limits)
  return readAggregate(row, root, dialect)
}
