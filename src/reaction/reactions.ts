// Turns events into tasks of reactions, and runs them.

import { randomUUID } from 'node:crypto'
import type { Outbox, OutboxEvent } from '../event/outbox.ts'
import { type OutboxConsumer, openOutboxConsumer } from '../event/outbox-consumer.ts'
import type { Limits } from '../limits.ts'
import { createWriteStatements } from '../store/sql/write/write-statements.ts'
import type { ReactionDefinition } from './definition.ts'
import { createQueue, type Queue } from './queue.ts'
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
  const queue = createQueue(dependencies.dialect)
  const reactions = new Reactions(dependencies, queue, await openConsumer(queue, dependencies))
  await reactions.register(dependencies.clock())
  reactions.start()
  return reactions
}

function openConsumer(queue: Queue, dependencies: ReactionsDependencies): Promise<OutboxConsumer> {
  const { definitions, outbox, clock, limits } = dependencies
  return openOutboxConsumer({
    ...dependencies,
    table: 'duet_reaction_position',
    names: new Set([...definitions.values()].map(({ event }) => event)),
    async handOn(events, from) {
      const to = events.at(-1)!.position
      const now = clock()
      const seenSince = new Date(now.getTime() - limits.reactionUnknownSeconds * 1000)
      return { to, write: () => queue.handOn({ from, to, epoch: outbox.epoch, seenSince, now }) }
    },
  })
}

export class Reactions extends TaskRunner {
  readonly #dependencies: ReactionsDependencies
  readonly #queue: Queue
  readonly #consumer: OutboxConsumer

  constructor(dependencies: ReactionsDependencies, queue: Queue, consumer: OutboxConsumer) {
    const statements = createWriteStatements(dependencies.dialect)
    const tasks = [...dependencies.definitions.values()].map(
      (each) => [each.name, reactionTask(each, { ...dependencies, statements })] as const,
    )
    super({
      ...dependencies,
      queue,
      definitions: new Map(tasks),
      holder: randomUUID(),
      atOnce: dependencies.limits.reactionsAtOnce,
      makeTasks: () => consumer.catchUp(),
      runs: () => true,
    })
    this.#dependencies = dependencies
    this.#queue = queue
    this.#consumer = consumer
  }

  /** To be called on every instance for every committed event. */
  notify(event: Pick<OutboxEvent, 'name'>): void {
    if (this.#consumer.notice(event)) this.wake()
  }

  /** Processes all events, so that the outbox may delete them, and registers the reactions. */
  async register(now: Date): Promise<void> {
    const [queue, consumer, definitions] = [this.#queue, this.#consumer, this.#dependencies.definitions]
    await consumer.all()
    await this.#dependencies.store.write(function* () {
      yield* consumer.lock()
      yield* queue.register(definitions, now)
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
}
