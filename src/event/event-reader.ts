// Reads the record of an event for subscribers: who of them may read it at that moment, and what each reads of it.

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
import type { RuleNode } from '../resource/language/rule.ts'
import { type Condition, fold } from '../resource/model/condition.ts'
import { eventsOf, type Model, type OneRelation, type ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import type { OutboxEvent } from './outbox.ts'
import { createRuleReader } from './rule-record.ts'

export interface EventReaderDependencies {
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly log: Pick<Log, 'error'>
  readonly limits: AnswerLimits & Pick<Limits, 'eventActors'>
  readonly clock: () => Date
  /** For the large answers of everybody. */
  readonly answers: AnswerRoom
}
/** A record of an event, as a subscriber reads it. */
export interface EventAnswer extends RecordAnswer {
  /** Why there is none: it is too large. */
  readonly refusal?: Failure
}
/** What somebody asks of a record, as the record's rule sees the one who asks. */
export interface Asks {
  readonly actor: Requester
  readonly root: Extract<Root, { kind: 'records' }>
  readonly lists: readonly ListArguments[]
}
/** Who may read the record of an event; null for somebody of whom that was not asked. */
export type MayRead = (actor: Requester) => boolean | null

export interface EventReader {
  /** Asks the record's rule for all of these actors together. */
  whoMayRead(event: OutboxEvent, actors: Iterable<Requester>): Promise<MayRead>
  /** Null where the record was deleted a moment ago. Rejects with a Failure where the database is away. */
  answer(event: OutboxEvent, asks: Asks): Promise<EventAnswer | null>
  /** The same text for all who would get the same answer. */
  answerKey(asks: Asks): string
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
  const rulesOf = new Map<string, RuleNode>()
  /**
   * Whom an event is told: who may read the record and, of the fields that changed, one at least. So nobody learns of a change
   * that is hidden. (contract 13.9.3)
   */
  function ruleOf({ previous }: OutboxEvent, resource: ResourceModel): RuleNode {
    const { protect, read } = resource
    const changed = Object.entries(previous ?? {}).flatMap(([field, [, isChanged]]) => (isChanged ? [field] : []))
    const rules = changed.flatMap((field) => protect.get(field)?.read ?? [])
    if (changed.length === 0 || rules.length < changed.length) return read.allow
    return getOrInsert(rulesOf, `${resource.name} ${changed.join()}`, () => ({
      rule: 'allOf',
      rules: [read.allow, { rule: 'anyOf', rules }],
    }))
  }
  /** What is asked before somebody is told what a reference named. */
  const disclosure = ({ target }: OneRelation, actor: Requester) => fold(target.read.allow, target, actor)
  /** The values of before; null for each that names what this reader may not read. */
  async function previousOf(
    { previous }: OutboxEvent,
    { root, actor }: Asks,
  ): Promise<Readonly<Record<string, unknown>>> {
    const values = Object.fromEntries(Object.entries(previous ?? {}).map(([field, [value]]) => [field, value]))
    for (const relation of root.previous ?? []) {
      const { field, target: resource } = relation
      const id = (values[field] ?? null) as string | null
      const condition = disclosure(relation, actor)
      if (id === null || condition.is === 'always') continue
      const questions = new Map([[condition, [shownBy(actor)]]])
      const holds = await store.read(rules.ask({ resource, id }, questions, clock()))
      if (credentialRefusal(actor, 'read', resource) !== null || holds?.(condition, shownBy(actor)) !== true)
        values[field] = null
    }
    return values
  }
  const deletions = new Set(eventsOf(model).flatMap(({ name, isDeletion }) => (isDeletion ? name : [])))
  /** What is told of a deletion is read as it was until then. (contract 13.8.2) */
  const deletion = ({ name, at }: OutboxEvent) =>
    deletions.has(name) ? { deletedAt: dialect.encode(at, 'timestamp') } : {}
  const planNumbers = new WeakMap<ReadPlan, number>()
  let count = 0

  async function read(event: OutboxEvent, asks: Asks): Promise<EventAnswer | null> {
    const { root, actor, lists } = asks
    const size = new AnswerSize(limits, answers)
    const shown = { ...shownBy(actor), requestTime: clock(), ids: [event.recordId], lists, size, ...deletion(event) }
    try {
      const reading = root.previous === undefined ? shown : { ...shown, previous: await previousOf(event, asks) }
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
  /** An answer to those who ask for just this; to fail would keep it, and all that follows, from them. */
  function refused(error: unknown, event: OutboxEvent): RecordAnswer {
    log.error('An event could not be read for some who subscribed.', { err: error, eventId: event.id })
    const code = error instanceof Failure ? error.code : 'INTERNAL_ERROR'
    return { json: null, version: 0, mask: 0, errors: [{ code, path: [] }] }
  }

  return {
    async whoMayRead(event, actors) {
      const resource = model.byName.get(event.resource)
      if (resource === undefined) return nobody
      const rule = ruleOf(event, resource)
      const questions = new Map<Condition, Shown[]>()
      for (const actor of actors) getOrInsert(questions, fold(rule, resource, actor), () => []).push(shownBy(actor))
      const record = { resource, id: event.recordId, ...deletion(event) }
      const holds = questions.size === 0 ? null : await store.read(rules.ask(record, questions, clock()))
      if (holds === null) return nobody
      return (actor) =>
        credentialRefusal(actor, 'read', resource) === null && holds(fold(rule, resource, actor), shownBy(actor))
    },
    async answer(event, asks) {
      try {
        return await read(event, asks)
      } catch (error) {
        if (!(error instanceof Failure)) return refused(error, event)
      }
      // Where the database itself is away this fails, nothing is delivered, and everything is tried again later.
      await store.ping()
      return read(event, asks).catch((error: unknown) => refused(error, event))
    },
    answerKey({ root, actor, lists }) {
      const plan = plans.plan(root, actor)
      const number = getOrInsert(planNumbers, plan, () => count++)
      const asker = shownBy(actor)
      const isPersonal = (root.previous ?? []).some((each) => disclosure(each, actor).is !== 'always')
      const parts = (['actor', 'code'] as const).map((each) =>
        isPersonal || asksFor(each, plan.level) ? asker[each] : null,
      )
      return JSON.stringify([number, lists, ...parts])
    },
  }
}

const nobody: MayRead = () => false
const asksFor = (what: keyof Shown, { prepared, children }: Level): boolean =>
  prepared.sources.some((source) => source.from === what) || children.some((each) => asksFor(what, each))
