// Claims due tasks and runs some at a time until the service stops. What makes the tasks is given: events, or the clock.

import { WakeLoop } from '../concurrency/wake-loop.ts'
import type { Limits } from '../limits.ts'
import { Outage } from '../observation/outage.ts'
import { sharedTime } from '../store/sql/text/shared-time.ts'
import type { TaskDefinition } from './definition.ts'
import type { Task } from './queue.ts'
import { Attempt, type AttemptDependencies, type AttemptResult } from './run.ts'

export interface TaskRunnerDependencies extends AttemptDependencies {
  readonly definitions: ReadonlyMap<string, TaskDefinition>
  /** Makes due tasks; called before tasks are claimed. */
  readonly makeTasks: () => Promise<void>
  /** Whether this instance runs tasks of this name now. */
  readonly runs: (name: string) => boolean
  readonly atOnce: number
  readonly limits: Limits
}

export class TaskRunner {
  readonly #dependencies: TaskRunnerDependencies
  readonly #loop: WakeLoop
  readonly #names: readonly string[]
  readonly counts: Record<AttemptResult, number> = { done: 0, failed: 0, died: 0, released: 0 }
  readonly #running = new Set<Attempt>()
  #dueSince: Date | null = null

  constructor(dependencies: TaskRunnerDependencies) {
    this.#dependencies = dependencies
    this.#loop = new WakeLoop({
      work: () => this.#workThrough(),
      outage: new Outage(dependencies.log, 'Reactions could not be looked for; they will be, in a moment.'),
    })
    this.#names = [...dependencies.definitions.keys()]
  }

  get running(): number {
    return this.#running.size
  }

  get lagSeconds(): number {
    const since = this.#dueSince
    return since === null ? 0 : Math.max(0, this.#dependencies.clock().getTime() - since.getTime()) / 1000
  }

  start(): void {
    this.#loop.start(this.#dependencies.limits.eventPollMs)
    this.wake()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when it looks for nothing. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Starts nothing more, waits up to `reactionDrainMs`, and releases the rest. Never rejects. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const results = [...this.#running].map(({ result }) => result)
    const timer = setTimeout(() => {
      for (const each of this.#running) each.release()
    }, this.#dependencies.limits.reactionDrainMs)
    await Promise.all(results)
    clearTimeout(timer)
  }

  async #workThrough(): Promise<void> {
    await this.#dependencies.makeTasks()
    while (await this.#claimSome());
  }

  /** False if nothing is due, or the limit of running attempts is reached. */
  async #claimSome(): Promise<boolean> {
    if (this.#loop.isStopping) return false
    const { definitions, store, dialect, queue, holder, clock, limits, atOnce, runs } = this.#dependencies
    const names = this.#names.filter(runs)
    const [now, dueSince] = await store.read(
      (function* () {
        const now = yield* sharedTime(dialect, clock)
        return [now, yield* queue.dueSince(names, now)] as const
      })(),
    )
    this.#dueSince = dueSince
    const count = atOnce - this.#running.size
    if (this.#loop.isStopping || count <= 0 || dueSince === null) return false
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
      this.wake()
    })
  }
}
