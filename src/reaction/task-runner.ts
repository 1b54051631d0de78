// Claims due tasks and runs some at a time. What makes the tasks is given: events, or the clock.

import { DueWorker } from '../concurrency/due-worker.ts'
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

/** A stop waits up to `reactionDrainMs`, and releases the rest. */
export class TaskRunner extends DueWorker {
  readonly #dependencies: TaskRunnerDependencies
  readonly #names: readonly string[]
  readonly counts: Record<AttemptResult, number> = { done: 0, failed: 0, died: 0, released: 0 }
  readonly #attempts = new Set<Attempt>()

  constructor(dependencies: TaskRunnerDependencies) {
    const { log, clock, limits, definitions } = dependencies
    const outage = new Outage(log, 'Reactions could not be looked for; they will be, in a moment.')
    super({ outage, clock, pollMs: limits.eventPollMs, drainMs: limits.reactionDrainMs })
    this.#dependencies = dependencies
    this.#names = [...definitions.keys()]
  }

  protected makeDue(): Promise<void> {
    return this.#dependencies.makeTasks()
  }

  protected cutOff(): void {
    for (const each of this.#attempts) each.release()
  }

  protected async beginSome(): Promise<boolean> {
    if (this.isStopping) return false
    const { definitions, store, dialect, queue, holder, clock, limits, atOnce, runs } = this.#dependencies
    const names = this.#names.filter(runs)
    const [now, dueSince] = await store.read(
      (function* () {
        const now = yield* sharedTime(dialect, clock)
        return [now, yield* queue.dueSince(names, now)] as const
      })(),
    )
    this.dueSince = dueSince
    const count = atOnce - this.#attempts.size
    if (this.isStopping || count <= 0 || dueSince === null) return false
    const until = (name: string) =>
      new Date(now.getTime() + definitions.get(name)!.timeLimitMs + limits.reactionLeaseMarginMs)
    const tasks = await store.write(() => queue.claim({ names, count, holder, now, until }))
    for (const task of tasks) this.run(this.#attempt(task))
    if (tasks.length === count) return true
    this.dueSince = null
    return false
  }

  async #attempt(task: Task): Promise<void> {
    const attempt = new Attempt(this.#dependencies.definitions.get(task.reaction)!, task, this.#dependencies)
    this.#attempts.add(attempt)
    this.counts[await attempt.result]++
    this.#attempts.delete(attempt)
  }
}
