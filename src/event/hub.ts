// Delivers events to subscribers who may read the record at that moment. Subscribers with the same answer share one plan run.
// (contract 6.2.8)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import type { Limits } from '../limits.ts'
import type { Requester } from '../resource/actor.ts'
import { DeliveryQueue, type DeliveryQueueDependencies } from './delivery-queue.ts'
import {
  type AnswerRequest,
  createEventReader,
  type EventAnswer,
  type EventReader,
  type EventReaderDependencies,
  type MayRead,
} from './event-reader.ts'
import { isBeyond, type Outbox, type OutboxEvent, type Position } from './outbox.ts'

export interface Listening extends Omit<AnswerRequest, 'actor'> {
  readonly event: string
  /** The id of the record subscribed by; null: of any. */
  readonly by: string | null
}
export interface Subscriber {
  readonly actor: Requester
  /** Of different events, which are delivered in one order. */
  readonly listenings: readonly Listening[]
  readonly after: Position
  /** Must not throw. */
  deliver(answer: EventAnswer, event: OutboxEvent): void
}
export interface Membership {
  leave(): void
  /** Null if nothing waits, as for events that were handed over. */
  readonly reached: Position | null
}

export interface HubDependencies extends EventReaderDependencies {
  readonly outbox: Pick<Outbox, 'after'>
  readonly noteDelivery?: ((event: OutboxEvent) => void) | undefined
  readonly limits: EventReaderDependencies['limits'] &
    Pick<Limits, 'eventGroupsAtOnce' | 'eventsWaiting' | 'eventTestMs' | 'eventBatch' | 'eventPollMs'>
}

interface Group {
  readonly subscribers: Set<Subscriber>
  readonly queue: DeliveryQueue
}
interface Test {
  readonly happenedAtMs: number
  readonly groups: readonly Group[]
  mayRead: Promise<MayRead> | null
}

export class Hub {
  readonly #dependencies: HubDependencies
  readonly #reader: EventReader
  readonly #semaphore: Semaphore
  readonly #groups = new Map<string, Group>()
  readonly #topics = new Map<string, Set<Group>>()
  readonly #tests = new WeakMap<OutboxEvent, Test>()
  #size = 0

  constructor(dependencies: HubDependencies) {
    this.#dependencies = dependencies
    this.#reader = createEventReader(dependencies)
    this.#semaphore = new Semaphore(dependencies.limits.eventGroupsAtOnce)
  }

  get size(): number {
    return this.#size
  }

  add(subscriber: Subscriber): Membership {
    const { actor, listenings, after } = subscriber
    const topics = listenings.map(({ event, by }) => topicOf(event, by))
    const key = topics.map((topic, at) => `${topic} ${this.#reader.answerKey({ ...listenings[at]!, actor })}`).join()
    const group = getOrInsert(this.#groups, key, () => this.#makeGroup(topics, subscriber))
    group.queue.join(after)
    group.subscribers.add(subscriber)
    this.#size++
    return {
      leave: () => {
        if (!group.subscribers.delete(subscriber)) return
        this.#size--
        if (group.subscribers.size === 0) this.#removeGroup(key, topics, group)
      },
      get reached() {
        return group.queue.reached
      },
    }
  }

  /** Delivers events in order: at once to groups that are idle, to others in their turn. */
  deliver(events: readonly OutboxEvent[]): void {
    for (const event of events) {
      const groups = topicsOf(event).flatMap((topic) => [...(this.#topics.get(topic) ?? [])])
      if (groups.length === 0) continue
      this.#tests.set(event, { happenedAtMs: performance.now(), groups, mayRead: null })
      for (const { queue } of groups) queue.push(event)
    }
  }

  /** For a subscriber that was away. Rejects with a Failure if the database is unavailable. */
  async deliverTo({ actor, listenings, deliver }: Subscriber, event: OutboxEvent): Promise<void> {
    const listening = listenings.find((each) => concerns(each, event))
    if (listening === undefined) return
    const mayRead = await this.#reader.whoMayRead(event, [actor])
    const answer = mayRead(actor) ? await this.#reader.answer(event, { ...listening, actor }) : null
    if (answer !== null) deliver(answer, event)
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(({ queue }) => queue.settled()))
  }

  #makeGroup(topics: readonly string[], { listenings, after }: Subscriber): Group {
    const { outbox, log, limits } = this.#dependencies
    const dependencies: DeliveryQueueDependencies = {
      deliver: (event) => this.#deliverToGroup(event, group),
      after: outbox.after,
      concerns: (event) => listenings.some((each) => concerns(each, event)),
      semaphore: this.#semaphore,
      log,
      limits,
    }
    const group: Group = { subscribers: new Set(), queue: new DeliveryQueue(after, dependencies) }
    for (const topic of topics) getOrInsert(this.#topics, topic, () => new Set()).add(group)
    return group
  }

  #removeGroup(key: string, topics: readonly string[], group: Group): void {
    group.queue.close()
    this.#groups.delete(key)
    for (const topic of topics) {
      const groups = this.#topics.get(topic)!
      groups.delete(group)
      if (groups.size === 0) this.#topics.delete(topic)
    }
  }

  async #deliverToGroup(event: OutboxEvent, group: Group): Promise<void> {
    // Later subscribers do not receive this event.
    const listeners = [...group.subscribers].filter(({ after }) => isBeyond(event.position, after))
    if (listeners.length === 0) return
    let mayRead = await this.#test(event, group)
    // Subscribers that joined after the shared check are checked now.
    if (listeners.some((each) => mayRead(each.actor) === null))
      mayRead = await this.#reader.whoMayRead(event, actorsOf(listeners))
    const readers = listeners.filter((each) => mayRead(each.actor))
    const answer = readers.length === 0 ? null : await this.#reader.answer(event, requestOf(readers[0]!, event))
    if (answer === null) return
    for (const each of readers) if (group.subscribers.has(each)) each.deliver(answer, event)
    this.#dependencies.noteDelivery?.(event)
  }

  /** A group that is late tests again. (contract 6.1.2) */
  async #test(event: OutboxEvent, { subscribers }: Group): Promise<MayRead> {
    const shared = this.#tests.get(event)
    if (shared === undefined || performance.now() - shared.happenedAtMs > this.#dependencies.limits.eventTestMs) {
      return this.#reader.whoMayRead(event, actorsOf(subscribers))
    }
    shared.mayRead ??= this.#reader.whoMayRead(
      event,
      shared.groups.flatMap((each) => actorsOf(each.subscribers)),
    )
    return shared.mayRead
  }
}

const actorsOf = (subscribers: Iterable<Subscriber>) => [...subscribers].map(({ actor }) => actor)
const requestOf = ({ actor, listenings }: Subscriber, event: OutboxEvent): AnswerRequest => ({
  ...listenings.find((each) => concerns(each, event))!,
  actor,
})
const concerns = ({ event, by }: Listening, happened: OutboxEvent): boolean =>
  event === happened.name && (by === null || by === happened.by)
const topicOf = (event: string, by: string | null): string => `${event} ${by ?? ''}`
const topicsOf = ({ name, by }: OutboxEvent): readonly string[] =>
  by === null ? [topicOf(name, null)] : [topicOf(name, by), topicOf(name, null)]
