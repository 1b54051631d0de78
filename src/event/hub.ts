// Delivers events to those who subscribed and may read the record at that moment, each as that subscriber would read it.
// Subscribers who would get the same answer share one plan run. (contract 6)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Level, ReadPlan } from '../read-plan/compile.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import { type ListArguments, type RecordAnswer, runRecords } from '../read-plan/run.ts'
import type { Root } from '../read-plan/selection.ts'
import { type Actor, hasScope } from '../resource/actor.ts'
import { fold, holds } from '../resource/condition.ts'
import type { Model } from '../resource/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import type { OutboxEvent } from './outbox.ts'
import { createTestableLoader } from './testable.ts'

export interface Subscriber {
  /** The event's name, such as `commentAdded`, and the record it is listened to by. */
  readonly event: string
  readonly by: string | null
  readonly actor: Actor | null
  /** What is answered of the record; the same object for everybody who asks the same. */
  readonly root: Extract<Root, { kind: 'records' }>
  readonly lists: readonly ListArguments[]
  /** Must not throw. */
  deliver(answer: RecordAnswer, event: OutboxEvent): void
}

export interface Hub {
  /** Delivers from now on, until the returned function is called. */
  add(subscriber: Subscriber): () => void
  /** One after the other, to everybody who may read the record now. */
  deliver(events: readonly OutboxEvent[]): Promise<void>
  /** The same to one subscriber only, who was away. */
  deliverTo(subscriber: Subscriber, events: readonly OutboxEvent[]): Promise<void>
  readonly size: number
}

export interface HubContext {
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly log: Pick<Log, 'error'>
}

export function createHub({ model, store, dialect, plans, log }: HubContext): Hub {
  const byTopic = new Map<string, Set<Subscriber>>()
  const testable = createTestableLoader(dialect)
  let size = 0
  const topic = (event: string, by: string | null) => `${event} ${by ?? ''}`

  async function deliverOne(event: OutboxEvent, subscribers: Iterable<Subscriber>): Promise<void> {
    const readers = await readersOf(event, [...subscribers])
    for (const group of groupsOf(readers, plans)) {
      const answer = await answerFor(group, event)
      // Deleted since it was tested a moment ago.
      if (answer === null) continue
      for (const subscriber of group.subscribers) subscriber.deliver(answer, event)
    }
  }

  async function answerFor({ plan, subscribers }: Group, event: OutboxEvent): Promise<RecordAnswer | null> {
    const [{ actor, lists }] = subscribers as [Subscriber]
    try {
      const given = { actor: actor?.id ?? null, ids: [event.recordId], lists }
      const [answer] = await store.read(runRecords(plan, given, dialect))
      return answer ?? null
    } catch (error) {
      // Told to those who ask for just this; to fail would keep it, and all that follows, from everybody.
      log.error('An event could not be read for some who subscribed.', { err: error, eventId: event.id })
      const code = error instanceof Failure ? error.code : 'INTERNAL_ERROR'
      return { json: null, version: 0, mask: 0, errors: [{ code, path: [] }] }
    }
  }

  /** One record is read, with the columns of its rule; the rule's in-memory reading chooses among any number of subscribers. */
  async function readersOf(event: OutboxEvent, subscribers: readonly Subscriber[]): Promise<readonly Subscriber[]> {
    const resource = model.byName.get(event.resource)
    if (resource === undefined || subscribers.length === 0) return []
    const conditionOf = (actor: Actor | null) => fold(resource.read.allow, resource, actor)
    const conditions = new Set(subscribers.map(({ actor }) => conditionOf(actor)))
    const record = await store.read(testable.load(resource, event.recordId, [...conditions]))
    if (record === null) return []
    return subscribers.filter(
      ({ actor }) =>
        (actor === null || hasScope(actor, 'read', resource.path)) &&
        holds(conditionOf(actor), record, actor?.id ?? null),
    )
  }

  return {
    add(subscriber) {
      const key = topic(subscriber.event, subscriber.by)
      const subscribers = byTopic.getOrInsertComputed(key, () => new Set())
      subscribers.add(subscriber)
      size++
      return () => {
        if (!subscribers.delete(subscriber)) return
        size--
        if (subscribers.size === 0 && byTopic.get(key) === subscribers) byTopic.delete(key)
      }
    },
    async deliver(events) {
      for (const event of events) {
        const subscribers = byTopic.get(topic(event.name, event.by))
        if (subscribers !== undefined) await deliverOne(event, subscribers)
      }
    },
    async deliverTo(subscriber, events) {
      for (const event of events) {
        if (event.name === subscriber.event && event.by === subscriber.by) await deliverOne(event, [subscriber])
      }
    },
    get size() {
      return size
    },
  }
}

interface Group {
  readonly plan: ReadPlan
  readonly subscribers: Subscriber[]
}

/** Those who share a plan and its arguments; where the plan asks who the actor is, each actor apart. */
function groupsOf(subscribers: readonly Subscriber[], plans: PlanCache): Iterable<Group> {
  const groups = new Map<ReadPlan, Map<string, Group>>()
  for (const subscriber of subscribers) {
    const plan = plans.plan(subscriber.root, subscriber.actor)
    const asks = JSON.stringify([subscriber.lists, asksForActor(plan) ? (subscriber.actor?.id ?? null) : null])
    const ofPlan = groups.getOrInsertComputed(plan, () => new Map<string, Group>())
    ofPlan.getOrInsertComputed(asks, () => ({ plan, subscribers: [] })).subscribers.push(subscriber)
  }
  return groups.values().flatMap((each) => each.values())
}

const personal = new WeakMap<ReadPlan, boolean>()
const asksForActor = (plan: ReadPlan): boolean =>
  personal.getOrInsertComputed(plan, () => levelAsksForActor(plan.level))
const levelAsksForActor = ({ prepared, children }: Level): boolean =>
  prepared.sources.some((source) => source.from === 'actor') || children.some(levelAsksForActor)
