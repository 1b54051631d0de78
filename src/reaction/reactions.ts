// Turns events into tasks of reactions, and runs some at a time until the service stops. Reads the outbox in order from a position
// shared by all instances, so that no event is missed or used twice.

import { randomUUID } from 'node:crypto'
import type { Outbox, OutboxEvent } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import { createWriteStatements } from '../store/sql/write/write-statements.ts'
import type { ReactionDefinition } from './definition.ts'
import { createQueue, type QueuePosition, type Task } from './queue.ts'
import { Attempt, type AttemptDependencies, type AttemptResult } from './run.ts'

export interface ReactionsDependencies extends Omit<AttemptDependencies, 'queue' | 'statements' | 'holder' | 'limits'> {
  readonly definitions: ReadonlyMap<string, ReactionDefinition>
  readonly outbox: Pick<Outbox, 'after' | 'end' | 'epoch'>
  readonly limits: Limits
}

/** Runs what is due, including tasks of earlier instances. Rejects if the database does not respond. */
export async function openReactions(dependencies: ReactionsDependencies): Promise<Reactions> {
  const { store, outbox, clock } = dependencies
  const queue = createQueue(dependencies.dialect)
  const end = await outbox.end()
  const position = await store.write(() => queue.position(end))
  const statements = createWriteStatements(dependencies.dialect)
  const reactions = new Reactions({ ...dependencies, queue, statements, holder: randomUUID() }, position)
  await reactions.register(clock())
  reactions.start()
  return reactions
}

export class Reactions {
  readonly #dependencies: ReactionsDependencies & AttemptDependencies
  readonly #names: readonly string[]
  readonly #events: ReadonlyMap<string, string>
  readonly #eventNames: ReadonlySet<string>
  readonly counts: Record<AttemptResult, number> = {
    done: 0,
    failed: 0,
    died: 0,
    released: 0,
  }
  readonly #running = new Set<Attempt>()
  #position: QueuePosition
  #dueSince: Date | null = null
  #isBehind = false
  #isWoken = false
  #work: Promise<void> | null = null
  #isStopping = false
  #poll: NodeJS.Timeout | undefined

  constructor(dependencies: ReactionsDependencies & AttemptDependencies, position: QueuePosition) {
    this.#dependencies = dependencies
    this.#position = position
    const definitions = [...dependencies.definitions.values()]
    this.#names = definitions.map(({ name }) => name)
    this.#events = new Map(definitions.map(({ name, event }) => [name, event]))
    this.#eventNames = new Set(this.#events.values())
  }

  get running(): number {
    return this.#running.size
  }

  get lagSeconds(): number {
    const since = this.#dueSince
    return since === null ? 0 : Math.max(0, this.#dependencies.clock().getTime() - since.getTime()) / 1000
  }

  start(): void {
    this.#poll = setInterval(() => this.#wake(), this.#dependencies.limits.eventPollMs).unref()
    this.#wake()
  }

  /** To be called on every instance for every committed event. */
  notify({ name }: Pick<OutboxEvent, 'name'>): void {
    if (!this.#eventNames.has(name)) return
    this.#isBehind = true
    this.#wake()
  }

  /** Processes all events, so that the outbox may delete them, and registers the reactions. */
  async register(now: Date): Promise<void> {
    const { store, queue } = this.#dependencies
    await this.#handOnAll()
    const [position, events] = [this.#position, this.#events]
    await store.write(function* () {
      yield* queue.position(position)
      yield* queue.register(events, now)
    })
  }

  /** To be called periodically: registers, and deletes old dead letters. */
  async sweep(now: Date): Promise<void> {
    const { store, queue, handover, limits } = this.#dependencies
    await this.register(now)
    const old = before(now, limits.reactionDeadSeconds)
    await store.write(() => queue.forgetDeadLetters(old, limits.sweepRows))
    if (handover !== null) await store.write(() => handover.forget(old, limits.sweepRows))
  }

  /** Starts nothing more, waits up to `reactionDrainMs`, and releases the rest. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#poll)
    await this.#work
    const results = [...this.#running].map(({ result }) => result)
    const timer = setTimeout(() => {
      for (const each of this.#running) each.release()
    }, this.#dependencies.limits.reactionDrainMs)
    await Promise.all(results)
    clearTimeout(timer)
  }

  #wake(): void {
    this.#isWoken = true
    if (this.#isStopping || this.#work !== null) return
    this.#work = this.#workThrough()
      .catch((error: unknown) => {
        this.#isBehind = true
        this.#dependencies.log.warn('Reactions could not be looked for; they will be, in a moment.', { err: error })
      })
      .finally(() => {
        this.#work = null
      })
  }

  async #workThrough(): Promise<void> {
    do {
      this.#isWoken = false
      if (this.#isBehind) {
        this.#isBehind = false
        await this.#handOnAll()
      }
      while (await this.#claimSome());
    } while (this.#isWoken && !this.#isStopping)
  }

  async #handOnAll(): Promise<void> {
    const { outbox, store, queue, clock, limits } = this.#dependencies
    for (;;) {
      const batch = await outbox.after(this.#position, limits.eventBatch)
      const to = batch.at(-1)?.position
      if (to === undefined) return
      const now = clock()
      const seenSince = before(now, limits.reactionUnknownSeconds)
      const move = { from: this.#position, to, epoch: outbox.epoch, seenSince, now }
      const isOurs = await store.write(() => queue.handOn(move))
      // Another instance was faster: continue from its position.
      this.#position = isOurs ? to : await store.write(() => queue.position(to))
    }
  }

  /** False if nothing is due, or the limit of running attempts is reached. */
  async #claimSome(): Promise<boolean> {
    if (this.#isStopping) return false
    const { definitions, store, queue, holder, clock, limits } = this.#dependencies
    const names = this.#names
    const now = clock()
    this.#dueSince = await store.read(queue.dueSince(names, now))
    const count = limits.reactionsAtOnce - this.#running.size
    if (this.#isStopping || count <= 0 || this.#dueSince === null) return false
    const until = (name: string) =>
      new Date(now.getTime() + definitions.get(name)!.timeLimitMs + limits.reactionLeaseMarginMs)
    const tasks = await store.write(() => queue.claim({ names, count, holder, now, until }))
    for (const task of tasks) this.#begin(task)
    if (tasks.length === count) return true
    this.#dueSince = null
    return false
  }

  #begin(task: Task): void {
    const attempt = new Attempt(this.#dependencies.definitions.get(task.reaction)!, task, this.#dependencies)
    this.#running.add(attempt)
    attempt.result.then((result) => {
      this.#running.delete(attempt)
      this.counts[result]++
      this.#wake()
    })
  }
}

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)
