// Hands events on to the reactions that listen to them, and runs a few at a time until the service stops. Events are read
// from the outbox, in its order and from a place that all instances share, so that none is missed and none handed on twice.

import { randomUUID } from 'node:crypto'
import type { Outbox, OutboxEvent } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import type { ReactionDefinition } from './definition.ts'
import { createQueue, type Task } from './queue.ts'
import { type Attempt, attempt, type Ending, type RunGiven } from './run.ts'

export interface ReactionsGiven extends Omit<RunGiven, 'queue' | 'statements' | 'holder' | 'limits'> {
  readonly definitions: ReadonlyMap<string, ReactionDefinition>
  readonly outbox: Pick<Outbox, 'after' | 'end' | 'epoch'>
  readonly limits: Limits
}
export interface Reactions {
  /** Told of every event after its commit, on every instance. */
  hear(event: OutboxEvent): void
  /** Hands on everything there is, so that the outbox may forget it, and says which reactions there are. */
  sweep(now: Date): Promise<void>
  /** Begins nothing more, waits for what runs, `reactionDrainMs` at most, and gives the rest back. Never rejects. */
  stop(): Promise<void>
  readonly counts: Readonly<Record<Ending, number>>
  readonly running: number
  /** For how long, as this instance knows, a task has been due that nobody has begun. */
  readonly lagSeconds: number
}

/** Begins to run what is due, of earlier instances as well. Rejects where the database does not answer. */
export async function openReactions(given: ReactionsGiven): Promise<Reactions> {
  const { definitions, store, dialect, outbox, clock, log, limits } = given
  const queue = createQueue(dialect)
  const run = { ...given, queue, statements: createWriteStatements(dialect), holder: randomUUID() }
  const names = [...definitions.keys()]
  const events = new Map([...definitions.values()].map(({ name, event }) => [name, event]))
  const heard = new Set(events.values())
  const counts = { done: 0, failed: 0, died: 0, released: 0 }
  const running = new Set<Attempt>()
  const end = await outbox.end()
  let position = await store.write(() => queue.position(end))
  /** Since when a task has been due that nobody has begun. */
  let dueSince: Date | null = null
  /** There may be events that were not handed on. */
  let isBehind = false
  let isWoken = false
  let looking: Promise<void> | null = null
  let isStopping = false

  /** Everything committed so far becomes tasks. */
  async function handOnAll(): Promise<void> {
    for (;;) {
      const batch = await outbox.after(position, limits.eventBatch)
      const to = batch.at(-1)?.position
      if (to === undefined) return
      const now = clock()
      const seenSince = before(now, limits.reactionUnknownSeconds)
      const move = { from: position, to, epoch: outbox.epoch, seenSince, now }
      const isOurs = await store.write(() => queue.handOn(move))
      // Another instance was faster: go on from where it stands.
      position = isOurs ? to : await store.write(() => queue.position(to))
    }
  }
  function* register(now: Date) {
    yield* queue.position(position)
    yield* queue.register(events, now)
  }
  async function look(): Promise<void> {
    do {
      isWoken = false
      if (isBehind) {
        isBehind = false
        await handOnAll()
      }
      while (await claimSome());
    } while (isWoken && !isStopping)
  }
  /** False once nothing is due, or nothing more can be run. */
  async function claimSome(): Promise<boolean> {
    if (isStopping) return false
    const now = clock()
    dueSince = await store.read(queue.dueSince(names, now))
    const count = limits.reactionsAtOnce - running.size
    if (isStopping || count <= 0 || dueSince === null) return false
    const until = (name: string) =>
      new Date(now.getTime() + definitions.get(name)!.timeLimitMs + limits.reactionLeaseMarginMs)
    const tasks = await store.write(() => queue.claim({ names, count, holder: run.holder, now, until }))
    for (const task of tasks) begin(definitions.get(task.reaction)!, task)
    if (tasks.length === count) return true
    dueSince = null
    return false
  }
  function begin(definition: ReactionDefinition, task: Task): void {
    const one = attempt(definition, task, run)
    running.add(one)
    one.ended.then((ending) => {
      running.delete(one)
      counts[ending]++
      wake()
    })
  }
  function wake(): void {
    isWoken = true
    if (isStopping || looking !== null) return
    looking = look()
      .catch((error: unknown) => {
        isBehind = true
        log.warn('Reactions could not be looked for; they will be, in a moment.', { err: error })
      })
      .finally(() => {
        looking = null
      })
  }

  await handOnAll()
  await store.write(() => register(clock()))
  const poll = setInterval(wake, limits.eventPollMs).unref()
  wake()
  return {
    counts,
    get running() {
      return running.size
    },
    get lagSeconds() {
      return dueSince === null ? 0 : Math.max(0, clock().getTime() - dueSince.getTime()) / 1000
    },
    hear({ name }) {
      if (!heard.has(name)) return
      isBehind = true
      wake()
    },
    async sweep(now) {
      await handOnAll()
      await store.write(() => register(now))
      await store.write(() => queue.forgetDead(before(now, limits.reactionDeadSeconds), limits.sweepRows))
    },
    async stop() {
      isStopping = true
      clearInterval(poll)
      await looking
      const ends = [...running].map(({ ended }) => ended)
      const timer = setTimeout(() => {
        for (const each of running) each.release()
      }, limits.reactionDrainMs)
      await Promise.all(ends)
      clearTimeout(timer)
    },
  }
}

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)
