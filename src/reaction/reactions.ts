// Turns events into tasks of reactions, and runs them. Reads the outbox in order from a position shared by all instances, so that no
// event is missed or used twice.

import { randomUUID } from 'node:crypto'
import type { Outbox, OutboxEvent } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import { createWriteStatements } from '../store/sql/write/write-statements.ts'
import type { ReactionDefinition } from './definition.ts'
import { createQueue, type Queue, type QueuePosition } from './queue.ts'
import { type ReactionWorkDependencies, reactionTask } from './reaction-task.ts'
import type { AttemptDependencies } from './run.ts'
import { TaskRunner } from './task-runner.ts'

export interface ReactionsDependencies
  extends Omit<AttemptDependencies, 'queue' | 'holder' | 'limits'>,
    Pick<ReactionWorkDependencies, 'handover' | 'cipher'> {
  readonly definitions: ReadonlyMap<string, ReactionDefinition>
  readonly outbox: Pick<Outbox, 'after' | 'end' | 'epoch'>
  readonly limits: Limits
}

/** Runs what is due, including tasks of earlier instances. Rejects if the database does not respond. */
export async function openReactions(dependencies: ReactionsDependencies): Promise<Reactions> {
  const { store, outbox, clock, dialect } = dependencies
  const queue = createQueue(dialect)
  const end = await outbox.end()
  const position = await store.write(() => queue.position(end))
  const reactions = new Reactions(dependencies, queue, position)
  await reactions.register(clock())
  reactions.start()
  return reactions
}

export class Reactions {
  readonly #dependencies: ReactionsDependencies
  readonly #queue: Queue
  readonly #events: ReadonlyMap<string, string>
  readonly #eventNames: ReadonlySet<string>
  readonly #runner: TaskRunner
  #position: QueuePosition
  #isBehind = false

  constructor(dependencies: ReactionsDependencies, queue: Queue, position: QueuePosition) {
    this.#dependencies = dependencies
    this.#queue = queue
    this.#position = position
    const definitions = [...dependencies.definitions.values()]
    this.#events = new Map(definitions.map(({ name, event }) => [name, event]))
    this.#eventNames = new Set(this.#events.values())
    const statements = createWriteStatements(dependencies.dialect)
    const tasks = definitions.map((each) => [each.name, reactionTask(each, { ...dependencies, statements })] as const)
    this.#runner = new TaskRunner({
      ...dependencies,
      queue,
      definitions: new Map(tasks),
      holder: randomUUID(),
      atOnce: dependencies.limits.reactionsAtOnce,
      makeTasks: () => this.#catchUp(),
      runs: () => true,
    })
  }

  get counts(): TaskRunner['counts'] {
    return this.#runner.counts
  }

  get running(): number {
    return this.#runner.running
  }

  get lagSeconds(): number {
    return this.#runner.lagSeconds
  }

  start(): void {
    this.#runner.start()
  }

  /** To be called on every instance for every committed event. */
  notify({ name }: Pick<OutboxEvent, 'name'>): void {
    if (!this.#eventNames.has(name)) return
    this.#isBehind = true
    this.#runner.wake()
  }

  /** Processes all events, so that the outbox may delete them, and registers the reactions. */
  async register(now: Date): Promise<void> {
    const queue = this.#queue
    await this.#handOnAll()
    const [position, events] = [this.#position, this.#events]
    await this.#dependencies.store.write(function* () {
      yield* queue.position(position)
      yield* queue.register(events, now)
    })
  }

  /** To be called periodically: registers, and deletes old dead letters. */
  async sweep(now: Date): Promise<void> {
    const { store, handover, limits } = this.#dependencies
    await this.register(now)
    const old = new Date(now.getTime() - limits.reactionDeadSeconds * 1000)
    await store.write(() => this.#queue.forgetDeadLetters(old, limits.sweepRows))
    if (handover !== null) await store.write(() => handover.forget(old, limits.sweepRows))
  }

  stop(): Promise<void> {
    return this.#runner.stop()
  }

  async #catchUp(): Promise<void> {
    if (!this.#isBehind) return
    this.#isBehind = false
    try {
      await this.#handOnAll()
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  async #handOnAll(): Promise<void> {
    const { outbox, store, clock, limits } = this.#dependencies
    for (;;) {
      const batch = await outbox.after(this.#position, limits.eventBatch)
      const to = batch.at(-1)?.position
      if (to === undefined) return
      const now = clock()
      const seenSince = new Date(now.getTime() - limits.reactionUnknownSeconds * 1000)
      const move = { from: this.#position, to, epoch: outbox.epoch, seenSince, now }
      const isOurs = await store.write(() => this.#queue.handOn(move))
      // Another instance was faster: continue from its position.
      this.#position = isOurs ? to : await store.write(() => this.#queue.position(to))
    }
  }
}
