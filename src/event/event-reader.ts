// Reads an event's record for subscribers: who may read it, and what each of them reads.

import type { AnswerRoom } from '../budget/answer-room.ts'
import { type AnswerLimits, AnswerSize } from '../budget/answer-size.ts'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { Level, ReadPlan } from '../read-plan/read-plan.ts'
import { type ListArguments, type RecordAnswer, runRecords } from '../read-plan/run.ts'
import type { Root } from '../read-plan/selection.ts'
import { credentialRefusal, type Requester, type Shown, shownBy } from '../resource/actor.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import { eventsOf, type Model, type OneRelation, type ResourceModel } from '../resource/model/model.ts'
import { fold } from '../resource/model/rule/condition.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { Store } from '../store/store.ts'
import type { OutboxEvent, PreviousValues } from './outbox.ts'
import { createRuleReader } from './rule-record.ts'

export interface EventReaderDependencies {
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly log: Pick<Log, 'error'>
  readonly limits: AnswerLimits & Pick<Limits, 'eventActors'>
  readonly clock: () => Date
  readonly answers: AnswerRoom
}
export interface EventAnswer extends RecordAnswer {
  /** Set if the record is too large. */
  readonly refusal?: Failure
}
export interface AnswerRequest {
  readonly actor: Requester
  readonly root: Extract<Root, { kind: 'records' }>
  readonly lists: readonly ListArguments[]
}
export type MayRead = (actor: Requester) => boolean | null

export interface EventReader {
  whoMayRead(event: OutboxEvent, actors: Iterable<Requester>): Promise<MayRead>
  /** Null if the record was just deleted. Rejects with a Failure if the database is unavailable. */
  answer(event: OutboxEvent, request: AnswerRequest): Promise<EventAnswer | null>
  answerKey(request: AnswerRequest): string
}

export function createEventReader({
  model,
  store,
  dialect,
  plans,
  log,
  limits,
  clock,
  answers,
}: EventReaderDependencies): EventReader {
  const rules = createRuleReader(dialect, limits.eventActors)
  const ruleOf = createReceivingRules()
  const previousOf = createPreviousReader(rules, { store, clock })
  const deletions = new Set(eventsOf(model).flatMap(({ name, isDeletion }) => (isDeletion ? name : [])))
  /** A deletion is read as the record was before. (contract 13.8.2) */
  const deletion = ({ name, at }: OutboxEvent) =>
    deletions.has(name) ? { deletedAt: dialect.encode(at, 'timestamp') } : {}
  async function read(event: OutboxEvent, request: AnswerRequest): Promise<EventAnswer | null> {
    const { root, actor, lists } = request
    const size = new AnswerSize(limits, answers)
    const shown = { ...shownBy(actor), requestTime: clock(), ids: [event.recordId], lists, size, ...deletion(event) }
    try {
      const reading = root.previous === undefined ? shown : { ...shown, previous: await previousOf(event, request) }
      const [answer] = await store.read(runRecords(plans.plan(root, actor), reading, dialect))
      size.finish(answer?.json ?? '')
      return answer ?? null
    } catch (error) {
      if (error !== size.failure || size.failure?.code !== 'QUERY_TOO_COMPLEX') throw error
      return { json: null, version: 0, mask: 0, errors: [], refusal: size.failure }
    } finally {
      // Each connection holds what it sends.
      size.release()
    }
  }
  /** Failing would block this and all later events. */
  function refused(error: unknown, event: OutboxEvent): RecordAnswer {
    log.error('An event could not be read for some who subscribed.', { err: error, eventId: event.id })
    const code = error instanceof Failure ? error.code : 'INTERNAL_ERROR'
    return { json: null, version: 0, mask: 0, errors: [{ code, path: [] }] }
  }

  return {
    async whoMayRead(event, actors) {
      const resource = model.byName.get(event.resource)
      if (resource === undefined) return noSubscriber
      if (event.previous === 'unknown') {
        // Which of its changes the subscribers may see is unknown, too. (contract 0.2.9)
        log.error('An event of another release was not delivered: its form is not known here.', { eventId: event.id })
        return noSubscriber
      }
      const record = { resource, id: event.recordId, ...deletion(event) }
      const holds = await store.read(rules.test(record, ruleOf(event, resource), actors, clock()))
      if (holds === null) return noSubscriber
      return (actor) => credentialRefusal(actor, 'read', resource) === null && holds(actor)
    },
    async answer(event, request) {
      try {
        return await read(event, request)
      } catch (error) {
        if (!(error instanceof Failure)) return refused(error, event)
      }
      // Otherwise nothing is delivered and everything is retried.
      await store.ping()
      return read(event, request).catch((error: unknown) => refused(error, event))
    },
    answerKey: createAnswerKeys(plans),
  }
}

/** Reading the record and at least one changed field, so that hidden changes stay hidden. (contract 13.9.3) */
function createReceivingRules(): (event: OutboxEvent, resource: ResourceModel) => RuleNode {
  const rulesOf = new Map<string, RuleNode>()
  return (event, resource) => {
    const previous = valuesOf(event)
    const { protect, read } = resource
    const changed = Object.entries(previous).flatMap(([field, [, isChanged]]) => (isChanged ? [field] : []))
    const rules = changed.flatMap((field) => protect.get(field)?.read ?? [])
    if (changed.length === 0 || rules.length < changed.length) return read.allow
    return getOrInsert(rulesOf, `${resource.name} ${changed.join()}`, () => ({
      rule: 'allOf',
      rules: [read.allow, { rule: 'anyOf', rules }],
    }))
  }
}

/** Null for references to records the reader may not read. */
function createPreviousReader(
  rules: ReturnType<typeof createRuleReader>,
  { store, clock }: Pick<EventReaderDependencies, 'store' | 'clock'>,
): (event: OutboxEvent, request: AnswerRequest) => Promise<Readonly<Record<string, unknown>>> {
  return async (event, { root, actor }) => {
    const values = Object.fromEntries(Object.entries(valuesOf(event)).map(([field, [value]]) => [field, value]))
    for (const relation of root.previous ?? []) {
      const { field, target: resource } = relation
      const id = (values[field] ?? null) as string | null
      const condition = disclosure(relation, actor)
      if (id === null || condition.is === 'always') continue
      const questions = new Map([[condition, [shownBy(actor)]]])
      const holds = await store.read(rules.evaluate({ resource, id }, questions, clock()))
      if (credentialRefusal(actor, 'read', resource) !== null || holds?.(condition, shownBy(actor)) !== true)
        values[field] = null
    }
    return values
  }
}

const valuesOf = ({ previous }: OutboxEvent): PreviousValues =>
  previous === null || previous === 'unknown' ? {} : previous

function createAnswerKeys(plans: EventReaderDependencies['plans']): EventReader['answerKey'] {
  const planNumbers = new WeakMap<ReadPlan, number>()
  let count = 0
  return ({ root, actor, lists }) => {
    const plan = plans.plan(root, actor)
    const number = getOrInsert(planNumbers, plan, () => count++)
    const caller = shownBy(actor)
    const isPersonal = (root.previous ?? []).some((each) => disclosure(each, actor).is !== 'always')
    const parts = (['actor', 'code'] as const).map((each) =>
      isPersonal || dependsOn(each, plan.level) ? caller[each] : null,
    )
    return JSON.stringify([number, lists, ...parts])
  }
}

const disclosure = ({ target }: OneRelation, actor: Requester) => fold(target.read.allow, target, actor)

const noSubscriber: MayRead = () => false
const dependsOn = (what: keyof Shown, { prepared, children }: Level): boolean =>
  prepared.sources.some((source) => source.from === what) || children.some((each) => dependsOn(what, each))
