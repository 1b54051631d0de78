// Reads records and lists and authorizes subscriptions: permission, then input, then the database.

import { type Deadline, questionTooSlow, summaryTooSlow, within } from '../../budget/deadline.ts'
import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import type { ReadPlan } from '../../read-plan/read-plan.ts'
import { runAggregate, runList, runRecord } from '../../read-plan/run.ts'
import { runSummary } from '../../read-plan/summary.ts'
import { shownBy } from '../../resource/actor.ts'
import { branchOf } from '../../resource/model/either.ts'
import type { KeyName } from '../../resource/model/key.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { WriteStatements } from '../../store/sql/write/write-statements.ts'
import { authorizeActor, authorizeFilters, authorizeLists, authorizeQuery, authorizeWhere } from '../authorize.ts'
import type { ListInput, RecordCall, RecordRoot, Runner, SummaryCall, SummaryInput } from '../call.ts'
import type { RunnerContext } from '../context.ts'
import { findByKey } from '../input/key.ts'
import { readAggregate } from './aggregate.ts'
import { ofNamedTenant } from './few-tenants.ts'
import { bindQuery } from './query.ts'

type Reads = Pick<Runner, 'record' | 'list' | 'aggregate' | 'summary' | 'listen' | 'authorizeLists'>

export function createReads(context: RunnerContext, statements: WriteStatements): Reads {
  const find: Find = (resource, name, { actor, now, deadline }) =>
    context.store.read(findByKey(resource, name, { actor, now, statements, dialect: context.dialect }), deadline)
  const record = createRecordRead(context, find)
  return {
    record,
    ...createListReads(context, find),
    ...createSummaries(context),

    async listen({ event, actor, by, requireForm }) {
      authorizeActor(event.resource.read, actor)
      if (by === null) return requireForm()
      const resource = branchOf(by, event.by!.branches).target
      const root = () => {
        requireForm()
        return existence(resource)
      }
      await record({ resource, root, actor, id: by, lists: [] })
    },

    authorizeLists,
  }
}

/** The id of the record with a key; null if the actor may read none. */
type Find = (
  resource: ResourceModel,
  name: KeyName,
  caller: Pick<RecordCall, 'actor' | 'deadline'> & { readonly now: Date },
) => Promise<string | null>

function createRecordRead(context: RunnerContext, find: Find): Runner['record'] {
  const { store, plans, dialect, clock, limits } = context
  return async ({ resource, root, actor, id: name, requestTime = clock(), lists, deadline, size }) => {
    authorizeActor(resource.read, actor) //                                     UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE
    const plan = plans.plan(typeof root === 'function' ? root() : root, actor) // VALIDATION_ERROR
    const id = typeof name === 'string' ? name : await find(resource, name, { actor, now: requestTime, deadline })
    if (id === null) throw new Failure(resource.notFound)
    const inputs = { ...shownBy(actor), requestTime, id, lists, size }
    const answer = await store.read(runRecord(plan, inputs, dialect), timeFor(plan, deadline, limits))
    if (answer === null) throw new Failure(resource.notFound)
    return id === name ? answer : { ...answer, id }
  }
}

/** A client's condition may have no index. (contract 12.1.13) */
const timeFor = (
  { isQuestion }: ReadPlan,
  deadline: Deadline | undefined,
  { whereTimeoutMs }: RunnerContext['limits'],
) => (isQuestion ? within(whereTimeoutMs, questionTooSlow, deadline) : deadline)

function createListReads(context: RunnerContext, find: Find): Pick<Reads, 'list' | 'aggregate'> {
  const { store, plans, dialect, clock, limits } = context
  return {
    async list({ source, vocabulary, actor, holderId, input, requestTime = clock(), lists, deadline, size }) {
      const { resource, within: around, query } = source
      if (around !== null) authorizeActor(around.holder.read, actor)
      authorizeActor(resource.read, actor)
      if (query !== undefined) authorizeQuery(query, actor)
      const { root, list: sent } = acceptList(input(), { resource, actor, vocabulary }) // the same of filters, VALIDATION_ERROR
      const list = query === undefined ? sent : await bindQuery(root.list, sent, { actor, requestTime }, context)
      const id =
        typeof holderId === 'object'
          ? await find(around!.holder, holderId, { actor, now: requestTime, deadline })
          : holderId
      if (id === null) throw new Failure(around!.holder.notFound)
      const inputs = {
        ...shownBy(actor),
        requestTime,
        ...(id === undefined ? {} : { id }),
        list,
        lists,
        size,
        tenantsMax: limits.listTenants,
      }
      const plan = plans.plan(root, actor)
      const found = ofNamedTenant(runList(plan, inputs, dialect), { resource, vocabulary }, limits)
      const answer = await store.read(found, timeFor(plan, deadline, limits))
      if (answer === null) throw new Failure(around!.holder.notFound)
      return answer
    },

    async aggregate({ source: { resource }, vocabulary, actor, input, requestTime = clock(), deadline }) {
      authorizeActor(resource.read, actor)
      const { root, list } = acceptList(input(), { resource, actor, vocabulary })
      const inputs = { ...shownBy(actor), requestTime, list, lists: [], tenantsMax: limits.listTenants }
      const plan = plans.plan(root, actor)
      const total = ofNamedTenant(runAggregate(plan, inputs, dialect), { resource, vocabulary }, limits)
      return readAggregate(await store.read(total, timeFor(plan, deadline, limits)), root, dialect)
    },
  }
}

function createSummaries({ store, plans, dialect, clock, limits }: RunnerContext): Pick<Reads, 'summary'> {
  return {
    async summary({ resource, vocabulary, actor, input, requestTime = clock(), deadline, size }) {
      authorizeActor(resource.read, actor)
      const { shape, list, zone } = acceptList(input(), { resource, actor, vocabulary })
      const args = { ...shownBy(actor), requestTime, list, zone, size, tenantsMax: limits.listTenants }
      const summary = runSummary(plans.summary(shape, actor), args, dialect)
      const time = within(limits.whereTimeoutMs, summaryTooSlow, deadline)
      return store.read(ofNamedTenant(summary, { resource, vocabulary }, limits), time)
    },
  }
}

/** A filter that the actor may not use fails before its value is validated. */
export function acceptList<Input extends ListInput | SummaryInput>(
  input: Input,
  { resource, actor, vocabulary }: Pick<SummaryCall, 'resource' | 'actor' | 'vocabulary'>,
): Exclude<Input, { problems: unknown }> {
  const rows = 'problems' in input ? null : 'root' in input ? input.root.list : input.shape.rows
  const filters = 'problems' in input ? input.filters : rows!.filters.map(({ filter }) => filter)
  if (filters.length > 0) authorizeFilters(filters, resource, actor, vocabulary)
  if ('problems' in input) throw new Failure('VALIDATION_ERROR', { details: input.problems })
  authorizeWhere(rows!.where, actor)
  return input as Exclude<Input, { problems: unknown }>
}

/** Selects nothing but the record's existence. */
const existence = memoize(
  (resource: ResourceModel): RecordRoot => ({
    kind: 'record',
    etag: false,
    of: { resource, parts: [], hidden: 'omit' },
  }),
)
