// Reads records and lists, and says who may hear of events: permission first, then what is asked, then the database.

import { type Deadline, questionTooSlow, summaryTooSlow, within } from '../budget/deadline.ts'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import type { ReadPlan } from '../read-plan/read-plan.ts'
import { runAggregate, runList, runRecord, TooManyTenants } from '../read-plan/run.ts'
import { runSummary } from '../read-plan/summary.ts'
import { shownBy } from '../resource/actor.ts'
import type { KeyName } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import { readAggregate } from './aggregate.ts'
import { authorizeActor, authorizeFilters, authorizeLists, authorizeQuery, authorizeWhere } from './authorize.ts'
import type { ListCall, ListInput, RecordCall, RecordRoot, Runner } from './call.ts'
import type { RunnerContext } from './context.ts'
import { findByKey } from './key.ts'
import { bindQuery } from './query.ts'

export function createReads(
  context: RunnerContext,
  statements: WriteStatements,
): Pick<Runner, 'record' | 'list' | 'aggregate' | 'summary' | 'listen' | 'authorizeLists'> {
  const { store, plans, dialect, clock, limits } = context
  /** What a client's condition asks may have no index. (contract 12.1.13) */
  const timeFor = ({ isQuestion }: ReadPlan, deadline: Deadline | undefined) =>
    isQuestion ? within(limits.whereTimeoutMs, questionTooSlow, deadline) : deadline
  const find = (
    name: KeyName,
    { resource, actor, now, deadline }: Pick<RecordCall, 'resource' | 'actor' | 'deadline'> & { readonly now: Date },
  ) => store.read(findByKey(resource, name, { actor, now, statements, dialect }), deadline)

  const reads: ReturnType<typeof createReads> = {
    async record({ resource, root, actor, id: name, requestTime = clock(), lists, deadline, size }) {
      authorizeActor(resource.read, actor) //                                     UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE
      const plan = plans.plan(typeof root === 'function' ? root() : root, actor) // VALIDATION_ERROR
      const id = typeof name === 'string' ? name : await find(name, { resource, actor, now: requestTime, deadline })
      if (id === null) throw new Failure(resource.notFound)
      const inputs = { ...shownBy(actor), requestTime, id, lists, size }
      const answer = await store.read(runRecord(plan, inputs, dialect), timeFor(plan, deadline))
      if (answer === null) throw new Failure(resource.notFound)
      return answer
    },

    async list(call) {
      const { source, actor, holderId, requestTime = clock(), lists, deadline, size } = call
      if (source.within !== null) authorizeActor(source.within.holder.read, actor)
      authorizeActor(source.resource.read, actor)
      if (source.query !== undefined) authorizeQuery(source.query, actor)
      const { root, list: sent } = acceptList(call.input(), call) //               the same of filters, VALIDATION_ERROR
      const list = source.query === undefined ? sent : await bindQuery(root.list, sent, { actor, requestTime }, context)
      const inputs = {
        ...shownBy(actor),
        requestTime,
        ...(holderId === undefined ? {} : { id: holderId }),
        list,
        lists,
        size,
        tenantsMax: limits.listTenants,
      }
      const plan = plans.plan(root, actor)
      const answer = await store.read(runList(plan, inputs, dialect), timeFor(plan, deadline)).catch((error) => {
        throw error instanceof TooManyTenants ? tooManyTenants(call, limits.listTenants) : error
      })
      if (answer === null) throw new Failure(source.within!.holder.notFound)
      return answer
    },

    async summary({ resource, vocabulary, actor, input, requestTime = clock(), deadline }) {
      authorizeActor(resource.read, actor)
      const question = input()
      const isWrong = 'problems' in question
      const filters = isWrong ? question.filters : question.shape.rows.filters.map(({ filter }) => filter)
      if (filters.length > 0) authorizeFilters(filters, resource, actor, vocabulary)
      if (isWrong) throw new Failure('VALIDATION_ERROR', { details: question.problems })
      authorizeWhere(question.shape.rows.where, actor)
      const { shape, list, zone } = question
      const args = { ...shownBy(actor), requestTime, list, zone }
      const time = within(limits.whereTimeoutMs, summaryTooSlow, deadline)
      return store.read(runSummary(plans.summary(shape, actor), args, dialect), time)
    },

    async listen({ event, actor, by, requireForm }) {
      authorizeActor(event.resource.read, actor)
      if (by === null) return requireForm()
      const resource = event.by!.target
      const root = () => {
        requireForm()
        return existence(resource)
      }
      await reads.record({ resource, root, actor, id: by, lists: [] })
    },

    async aggregate(call) {
      const { source, actor, requestTime = clock(), deadline } = call
      authorizeActor(source.resource.read, actor)
      const { root, list } = acceptList(call.input(), call)
      const inputs = { ...shownBy(actor), requestTime, list, lists: [] }
      const plan = plans.plan(root, actor)
      const row = await store.read(runAggregate(plan, inputs, dialect), timeFor(plan, deadline))
      return readAggregate(row, root, dialect)
    },

    authorizeLists,
  }
  return reads
}

function tooManyTenants({ source: { resource }, vocabulary }: ListCall, max: number): Failure {
  const field = vocabulary.filter(resource, resource.tenants[0]!.field)
  const message = `You are in more than ${max} of them: name one.`
  return new Failure('VALIDATION_ERROR', { details: [{ field, message }] })
}

type Asker = Pick<ListCall, 'source' | 'actor' | 'vocabulary'>

/** The list that is asked for. A filter that the actor may not use comes before whatever is wrong with its value. */
export function acceptList(input: ListInput, asker: Asker): Exclude<ListInput, { problems: unknown }> {
  const { source, actor, vocabulary } = asker
  const isWrong = 'problems' in input
  const filters = isWrong ? input.filters : input.root.list.filters.map(({ filter }) => filter)
  if (filters.length > 0) authorizeFilters(filters, source.resource, actor, vocabulary)
  if (isWrong) throw new Failure('VALIDATION_ERROR', { details: input.problems })
  authorizeWhere(input.root.list.where, actor)
  return input
}

/** Reads nothing of a record but that it is there. */
const existence = (of: ResourceModel): RecordRoot =>
  getOrInsert(existenceRoots, of, (resource) => ({
    kind: 'record',
    etag: false,
    of: { resource, parts: [], hidden: 'omit' },
  }))
const existenceRoots = new WeakMap<ResourceModel, RecordRoot>()
