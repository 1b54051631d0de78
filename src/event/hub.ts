// Delivers events to subscribers who may read the record at that moment, each with the answer it would read. Subscribers with the
// same answer share one plan run, independent of others. (contract 6.2.8)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import type { Limits } from '../limits.ts'
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

export interface Subscriber extends AnswerRequest {
  /** The name, such as `commentAdded`, and the id of the record subscribed by. */
  readonly event: string
  readonly by: string | null
  /** Earlier events are not delivered. */
  readonly after: Position
  /** Must not throw. */
  deliver(answer: EventAnswer, event: OutboxEvent): void
}

export interface Hub {
  /** Returns a function that stops it. */
  add(subscriber: Subscriber): () => void
  /** Delivers events in order: at once to groups that are idle, to others in their turn. */
  deliver(events: readonly OutboxEvent[]): void
  /** For a subscriber that was away. Rejects with a Failure if the database is unavailable. */
  deliverTo(subscriber: Subscriber, event: OutboxEvent): Promise<void>
  settled(): Promise<void>
  readonly size: number
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
/** The access check of a recent event, shared by all groups. */
interface Test {
  readonly happenedAtMs: number
  mayRead: Promise<MayRead> | null
}
type Topic = Map<string, Group>

export const createHub = (dependencies: HubDependencies): Hub => new GroupHub(dependencies)

class GroupHub implements Hub {
  readonly #dependencies: HubDependencies
  readonly #reader: EventReader
  readonly #semaphore: Semaphore
  readonly #topics = new Map<string, Topic>()
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

  add(subscriber: Subscriber): () => void {
    const name = topicOf(subscriber.event, subscriber.by)
    const topic = getOrInsert(this.#topics, name, () => new Map())
    const key = this.#reader.answerKey(subscriber)
    const group = getOrInsert(topic, key, () => this.#makeGroup(topic, subscriber))
    group.queue.join(subscriber.after)
    group.subscribers.add(subscriber)
    this.#size++
    return () => {
      if (!group.subscribers.delete(subscriber)) return
      this.#size--
      if (group.subscribers.size > 0) return
      group.queue.close()
      topic.delete(key)
      if (topic.size === 0) this.#topics.delete(name)
    }
  }

  deliver(events: readonly OutboxEvent[]): void {
    for (const event of events) {
      const topic = this.#topics.get(topicOf(event.name, event.by))
      if (topic === undefined) continue
      this.#tests.set(event, { happenedAtMs: performance.now(), mayRead: null })
      for (const { queue } of topic.values()) queue.push(event)
    }
  }

  async deliverTo(subscriber: Subscriber, event: OutboxEvent): Promise<void> {
    if (event.name !== subscriber.event || event.by !== subscriber.by) return
    const mayRead = await this.#reader.whoMayRead(event, [subscriber.actor])
    const answer = mayRead(subscriber.actor) ? await this.#reader.answer(event, subscriber) : null
    if (answer !== null) subscriber.deliver(answer, event)
  }

  async settled(): Promise<void> {
    const queues = [...this.#topics.values()].flatMap((topic) => [...topic.values()].map(({ queue }) => queue))
    await Promise.all(queues.map((queue) => queue.settled()))
  }

  #makeGroup(topic: Topic, { event: name, by, after }: Subscriber): Group {
    const { outbox, log, limits } = this.#dependencies
    const dependencies: DeliveryQueueDependencies = {
      deliver: (event) => this.#deliverToGroup(event, topic, group),
      after: outbox.after,
      concerns: (event) => event.name === name && event.by === by,
      semaphore: this.#semaphore,
      log,
      limits,
    }
    const group: Group = { subscribers: new Set(), queue: new DeliveryQueue(after, dependencies) }
    return group
  }

  async #deliverToGroup(event: OutboxEvent, topic: Topic, group: Group): Promise<void> {
    // Later subscribers do not receive this event.
    const listening = [...group.subscribers].filter(({ after }) => isBeyond(event.position, after))
    if (listening.length === 0) return
    let mayRead = await this.#test(event, topic, group)
    // Subscribers that joined after the shared check are checked now.
    if (listening.some((each) => mayRead(each.actor) === null))
      mayRead = await this.#reader.whoMayRead(event, actorsOf(listening))
    const readers = listening.filter((each) => mayRead(each.actor))
    const answer = readers.length === 0 ? null : await this.#reader.answer(event, readers[0]!)
    if (answer === null) return
    for (const each of readers) if (group.subscribers.has(each)) each.deliver(answer, event)
    this.#dependencies.noteDelivery?.(event)
  }

  /** Access is tested at delivery; a group that is late tests again. (contract 6.1.2) */
  async #test(event: OutboxEvent, topic: Topic, { subscribers }: Group): Promise<MayRead> {
    const shared = this.#tests.get(event)
    if (shared === undefined || performance.now() - shared.happenedAtMs > this.#dependencies.limits.eventTestMs) {
      return this.#reader.whoMayRead(event, actorsOf(subscribers))
    }
    shared.mayRead ??= this.#reader.whoMayRead(
      event,
      [...topic.values()].flatMap((each) => actorsOf(each.subscribers)),
    )
    return shared.mayRead
  }
}

const actorsOf = (subscribers: Iterable<Subscriber>) => [...subscribers].map(({ actor }) => actor)
const topicOf = (event: string, by: string | null): string => `${event} ${by ?? ''}`
