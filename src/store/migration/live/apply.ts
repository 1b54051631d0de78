// Migrates a database under load: each step in a transaction of its own that waits for no lock for long, indexes concurrently,
// values in batches. What was done stays, so that a killed run goes on where it was.

import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../failure/failure.ts'
import type { Schema } from '../../sql/schema/schema.ts'
import { dialectOf } from '../../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query, rowsOf, type Store, UniqueViolation } from '../../store.ts'
import { lockSchema, otherInstances } from '../instances.ts'
import { aloneSentence, noteApplied, type Plan, planMigration } from '../migrate.ts'
import { note } from '../notes.ts'
import { batchSize, type Fill, runStatements, type Step, UnfitDatabase, unfit } from '../work.ts'
import { type Holder, type Lease, takeLease } from './lease.ts'
import { online } from './online.ts'
import { noteRate } from './rate.ts'

export interface ApplyOptions {
  readonly holder: Holder
  /** Puts aside what the definition no longer has, as far as its loss is accepted. */
  readonly finish: boolean
  readonly accepted: ReadonlySet<string>
  /** Called with each step that was made. */
  readonly report: (line: string) => void
  /** Leaves all other steps. */
  readonly only?: (step: Step, plan: Plan) => boolean
  /** Rejects soon after. */
  readonly signal?: AbortSignal
}

/** A step that was left, and why. */
export interface Left {
  readonly step: Step
  readonly why: 'instances' | 'finish' | 'consent' | 'order'
}

/** Does not keep the new version from starting. */
export const isAfterDeploy = ({ step }: Left): boolean => step.loss !== undefined || step.isLate === true

/** Steps may become possible by those before. */
const roundsMax = 10
const lockWaitMs = 150
const attemptsMax = 200
const batchMs = 50
const sizeMax = 20_000
/** A question that takes so much longer than twice the shortest one shows that the database is busy. */
const restMs = 2

/** Returns what is left. Fails with UnfitDatabase if records do not fit the definition; nothing has changed then. */
export async function applyMigration(store: Store, desired: Schema, options: ApplyOptions): Promise<readonly Left[]> {
  const wait = () => options.report('Another process migrates: waiting for it.')
  const lease = await takeLease(store, options.holder, wait, options.signal)
  try {
    for (let round = 1; ; round++) {
      const plan = await readAll(store, () => planMigration(desired))
      if (plan.refusals.length > 0) throw unfit(plan.refusals)
      const { todo, left } = choose(plan, await store.read(otherInstances(store.engine, desired.fingerprint)), options)
      const isWork = todo.some(({ change }) => change !== 'bookkeeping')
      for (const step of todo) await make({ store, lease }, step, plan, options)
      if (isWork && round < roundsMax) continue
      if (left.every(isAfterDeploy) && !plan.isBesideNewer && plan.former !== desired.fingerprint)
        await store.write(() => noteApplied(plan), { withoutTimeout: true })
      return left
    }
  } finally {
    await lease.release()
  }
}

/** Without time limit: it may count the records of a table. */
export const readAll = <T>(store: Store, program: () => Program<T>): Promise<T> =>
  store.engine === 'sqlite' ? store.read(program()) : store.write(program, { withoutTimeout: true })

interface Choice {
  readonly todo: readonly Step[]
  readonly left: readonly Left[]
}

/** Whatever follows on a table where something else was left waits, too. */
export function choose(
  plan: Plan,
  others: number,
  { finish, accepted, only }: Pick<ApplyOptions, 'finish' | 'accepted' | 'only'>,
): Choice {
  const todo: Step[] = []
  const left: Left[] = []
  const waiting = new Set<string>()
  for (const step of plan.steps) {
    if (step.change !== 'bookkeeping' && only?.(step, plan) === false) {
      left.push({ step, why: 'order' })
      continue
    }
    const why = reasonToLeave(step)
    if (why === null) todo.push(step)
    else left.push({ step, why })
    if (why !== null && !isAfterDeploy({ step, why }) && step.table !== null) waiting.add(step.table)
  }
  return { todo, left }

  function reasonToLeave({ loss, alone, isLate, table }: Step): Left['why'] | null {
    if ((loss !== undefined || isLate === true) && !finish) return 'finish'
    if (loss !== undefined && !accepted.has(loss)) return 'consent'
    if (alone !== undefined && others > 0) return 'instances'
    return table !== null && waiting.has(table) ? 'order' : null
  }
}

interface Session {
  readonly store: Store
  readonly lease: Lease
}

async function make({ store, lease }: Session, step: Step, plan: Plan, options: ApplyOptions): Promise<void> {
  const began = performance.now()
  for (const each of online(step, plan)) {
    if (each.kind === 'concurrently') await build(store, step, each.statement, options.signal)
    else
      await patiently(store, function* () {
        yield* lease.renew()
        yield* requireAlone(step, plan)
        yield* runStatements(step, each.statements)
        yield* remember(store.engine, step)
      })
  }
  if (step.fill !== undefined) await fill({ store, lease }, step.fill, () => requireAlone(step, plan))
  if (step.change === 'bookkeeping') return
  const seconds = (performance.now() - began) / 1000
  await store.write(() => noteRate(store.engine, step, seconds))
  options.report(`${step.about}: ${step.change}, ${seconds.toFixed(1)} s`)
}

/** An instance may have begun since the plan; none begins until the transaction ends. */
function* requireAlone({ alone }: Step, { engine, desired }: Plan): Program<void> {
  if (alone === undefined || engine === 'sqlite') return
  yield bind(lockSchema)
  if ((yield* otherInstances(engine, desired.fingerprint)) > 0) throw unfit([aloneSentence(alone)])
}

/** Rows that a resumed run, an undo and a purge need. */
function* remember(engine: Engine, { marks, loss, change }: Step): Program<void> {
  if (marks !== undefined) yield bind(command(note(engine, 'fill', marks, '')))
  if (loss !== undefined) yield bind(command(note(engine, 'removed', loss, change)))
}

/** A statement that does not get its lock gives way to requests, and is tried again. */
async function patiently<T>(store: Store, program: () => Program<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.write(program, { withoutTimeout: true, lockWaitMs })
    } catch (error) {
      if (!(error instanceof Failure) || attempt === attemptsMax) throw error
      await pause(lockWaitMs)
    }
  }
}

async function build(store: Store, step: Step, statement: string, signal?: AbortSignal): Promise<void> {
  const problem = step.check === undefined ? null : await readAll(store, step.check)
  if (problem !== null) throw new UnfitDatabase(problem)
  try {
    await store.runAlone(statement, signal)
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    // A request was faster. The next run drops the invalid index.
    throw new UnfitDatabase((step.check && (await readAll(store, step.check))) ?? error.message, { cause: error })
  }
}

/** Batches of about 50 ms, each in a transaction with its position. */
async function fill(
  { store, lease }: Session,
  { key, batch, last, verdict }: Fill,
  requireEnd: () => Program<void>,
): Promise<void> {
  const { parameter: p } = dialectOf(store.engine)
  const selectPosition = query(`select position from duet_migration where kind = 'fill' and name = ${p(1)}`)
  const move = command(`update duet_migration set position = ${p(2)} where kind = 'fill' and name = ${p(1)}`)
  const end = command(`delete from duet_migration where kind = 'fill' and name = ${p(1)}`)
  let size = batchSize
  let leastMs = Number.POSITIVE_INFINITY
  for (let isDone = false; !isDone; ) {
    const questionMs = performance.now()
    const [row] = await store.read(rowsOf(selectPosition, key))
    const began = performance.now()
    const latencyMs = began - questionMs
    isDone = await patiently(store, function* () {
      yield* lease.renew()
      const next = yield* batch(row === undefined ? '' : String(row[0]), size)
      if (next !== null) yield bind(move, key, next)
      return next === null
    })
    const tookMs = performance.now() - began
    size = Math.round(Math.min(sizeMax, Math.max(50, (size * batchMs) / Math.max(tookMs, 1))))
    leastMs = Math.min(leastMs, latencyMs)
    // The one writer of SQLite is for others, too; PostgreSQL serves them meanwhile, unless it has too much to do.
    if (store.engine === 'sqlite' || latencyMs > 2 * leastMs + restMs) await pause(tookMs)
  }
  const problem = verdict === null ? null : await readAll(store, verdict)
  if (problem !== null) throw new UnfitDatabase(problem)
  await patiently(store, function* () {
    yield* lease.renew()
    yield* requireEnd()
    for (const each of last) yield bind(command(each))
    yield bind(end, key)
  })
}
