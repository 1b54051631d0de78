// What code reads inside of a transaction: as whoever its action runs for may see it, with all that the transaction wrote before.

import type { Failure } from '../failure/failure.ts'
import { type Arguments, type ListAnswer, runAggregate, runList, runRecord } from '../read-plan/run.ts'
import { shownBy } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { asDefined } from '../resource/model/vocabulary.ts'
import type { Program } from '../store/store.ts'
import { aggregateInput, readAggregate, summedColumn } from './aggregate.ts'
import type { ListInput } from './call.ts'
import type { CodeFace } from './code-face.ts'
import { acceptList } from './read.ts'
import { tenantRole } from './tenant-role.ts'
import type { WriteScope } from './write-scope.ts'

type Values = Readonly<Record<string, unknown>>
type ResourceReference = { readonly name: string }
/** Which records, in the names of the definition. */
export interface Which {
  readonly filter?: Values
  readonly where?: unknown
  readonly sort?: readonly string[]
  readonly limit?: number
}
export interface ReadDependencies {
  readonly scope: WriteScope
  /** Runs a program in the transaction, after what was begun before. */
  readonly inTurn: <T>(program: () => Program<T>) => Promise<T>
  readonly resourceOf: (of: ResourceReference) => ResourceModel
  /** What it fails with that these records are not there, for whoever it reads for. */
  readonly missing: (resource: ResourceModel, ids: readonly string[]) => Failure
}

export type EffectReads = ReturnType<typeof readsOf>

export function readsOf({ scope, inTurn, resourceOf, missing }: ReadDependencies) {
  const { context, actor, now, dialect } = scope
  const faceOf = (of: ResourceReference): CodeFace => context.codeFaces(resourceOf(of), actor)
  const basis = { ...shownBy(actor), requestTime: now, lists: [] }
  const read = (face: CodeFace, { limit, ...which }: Which, cursor?: string | null): ListInput =>
    face.lists.read(
      {
        ...which,
        ...(limit === undefined ? {} : { perPage: limit }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      actor,
    )
  const from: Reader = { context, actor, dialect, basis }
  const page = (face: CodeFace, input: ListInput) => readPage(face, input, from)
  const aggregate = (face: CodeFace, which: Which, sum: Column | null) =>
    readTotal(face, aggregateInput(read(face, which), sum), from)
  return {
    async get(of: ResourceReference, id: string): Promise<Values> {
      const face = faceOf(of)
      const plan = context.plans.plan(face.record, actor)
      const answer = await inTurn(() => runRecord(plan, { ...basis, id }, dialect))
      if (answer === null) throw missing(face.resource, [id])
      return face.row(answer.json)
    },
    /** The role that an account has inside a tenant; null for who is no member, and where the actor may not read that. */
    tenantRole: (tenant: string, account: string | null, lock: 'share' | null = null): Promise<string | null> =>
      inTurn(() => tenantRole({ tenant, account, lock }, { ...scope, model: context.model })),
    async list(of: ResourceReference, which: Which = {}) {
      const face = faceOf(of)
      const { json, hasNext } = await inTurn(() => page(face, read(face, which)))
      return { records: face.rows(json), hasNext }
    },
    async *each(of: ResourceReference, which: Omit<Which, 'limit'> = {}) {
      const face = faceOf(of)
      let cursor: string | null = null
      do {
        const from: string | null = cursor
        const answer: ListAnswer = await inTurn(() => page(face, read(face, which, from)))
        yield* face.rows(answer.json)
        cursor = answer.nextCursor
      } while (cursor !== null)
    },
    count: async (of: ResourceReference, which: Omit<Which, 'limit' | 'sort'> = {}): Promise<number> =>
      (await inTurn(() => aggregate(faceOf(of), which, null))) as number,
    async sum(of: ResourceReference, field: string, which: Omit<Which, 'limit' | 'sort'> = {}): Promise<unknown> {
      const face = faceOf(of)
      const column = summedColumn(face.resource, field)
      return await inTurn(() => aggregate(face, which, column))
    },
  }
}

type Reader = Pick<WriteScope, 'context' | 'actor' | 'dialect'> & { readonly basis: Arguments }

function* readPage(face: CodeFace, input: ListInput, { context, actor, dialect, basis }: Reader): Program<ListAnswer> {
  const { root, list } = acceptList(input, { source: face.source, actor, vocabulary: asDefined })
  return (yield* runList(context.plans.plan(root, actor), { ...basis, list }, dialect))!
}

function* readTotal(face: CodeFace, input: ListInput, { context, actor, dialect, basis }: Reader): Program<unknown> {
  const { root, list } = acceptList(input, { source: face.source, actor, vocabulary: asDefined })
  const row = yield* runAggregate(context.plans.plan(root, actor), { ...basis, list }, dialect)
  return readAggregate(row, root, dialect)
}
