// Other records, inside the transaction of an effect: what `records` in a definition can do.

import { type Detail, type Failure, invariant } from '../failure/failure.ts'
import { accountOf } from '../resource/actor.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { Program, Run } from '../store/store.ts'
import { verdictOf } from './check.ts'
import type { RunnerContext } from './context.ts'
import { uncountedBy } from './count.ts'
import { readsOf } from './effect-reads.ts'
import { loadReadable, type RowValues } from './load.ts'
import { type CallbackArguments, emittedBy, refusedBy } from './move.ts'
import { claimOnce } from './once.ts'
import {
  beginCreate,
  beginMove,
  beginRemove,
  changeOther,
  decideOther,
  lockExisting,
  type OtherRecord,
  pick,
  writeOther,
} from './other-record.ts'
import { recordsHere } from './records-here.ts'
import { missingReference } from './reference.ts'
import { remove } from './remove.ts'
import { runSql } from './sql.ts'
import { put } from './target-state.ts'
import { createTurns } from './turns.ts'
import type { WriteScope } from './write-scope.ts'

/** An effect that runs. */
export interface EffectScope {
  readonly write: WriteScope
  /** Runs programs in the transaction of the write. */
  readonly run: Run
  /** The actions whose effects are running, each of which ran the next. */
  readonly chain: readonly ActionModel[]
  /** Whether it is the hook of the service, which is not told of what it writes itself. */
  readonly isHook?: boolean
  /** The record whose effect it is, with its input; absent where there is none. */
  readonly from?:
    | { readonly resource: ResourceModel; readonly values: Readonly<RowValues>; readonly target?: number }
    | undefined
}
/** A record that is about to be written, or deleted. */
export interface WrittenRecord extends Pick<OtherRecord, 'id' | 'before' | 'after' | 'changed'> {
  readonly resource: ResourceModel
  readonly action: Pick<ActionModel, 'name' | 'kind'> | null
}
type ResourceReference = { readonly name: string }
export type EffectRecords = ReturnType<typeof recordsOf>['records']

/** Runs the effect of an action. Fails with BUSINESS_RULE_VIOLATION as it says. `assign` fills in fields of its record. */
export async function runEffect(
  action: ActionModel,
  callbackArguments: CallbackArguments,
  scope: EffectScope,
  assign: ((change: Readonly<RowValues>) => void) | null = null,
): Promise<void> {
  const sentence = await withRecords({ ...scope, chain: [...scope.chain, action] }, async (records) =>
    action.effect!({
      ...callbackArguments,
      records: { ...records, here: hereOf(action.resource, records) },
      ...(assign === null ? {} : { assign }),
    }),
  )
  if (typeof sentence === 'string') throw refusedBy(sentence, scope.from?.target)
}

/** Tells the hook of the service, where it has one. Fails with BUSINESS_RULE_VIOLATION as that says. */
export async function tellHook(written: WrittenRecord, effect: EffectScope): Promise<void> {
  const { onWrite } = effect.write.context.model
  if (onWrite === null || effect.isHook === true) return
  const { actor, now } = effect.write
  const { resource, action, id, before, after, changed } = written
  const change = action?.kind === 'delete' ? null : pick(after, before === null ? storedFields(resource) : changed)
  const toBe = { ...change }
  const moment = {
    resource: resource.name,
    action: action?.name ?? null,
    id,
    change,
    actor: accountOf(actor),
    now,
    before,
  }
  const sentence = await withRecords({ ...effect, isHook: true }, (records) =>
    onWrite({ ...moment, record: { ...after }, records: records as never }),
  )
  if (typeof sentence === 'string') throw refusedBy(sentence, effect.from?.target)
  for (const [field, value] of Object.entries(change ?? {})) {
    if (value === toBe[field]) continue
    if (resource.state?.field === field)
      throw new Error(`onWrite changes ${resource.name}.${field}, which only moves change.`)
    put(written, { [field]: value })
  }
}
const storedFields = ({ columns }: ResourceModel): readonly string[] =>
  columns.flatMap(({ field, secret, spec }) => (secret || spec.kind === 'counter' || isOwn(field) ? [] : [field]))
const isOwn = (field: string): boolean => field === 'id' || field === 'createdAt' || field === 'updatedAt'

const hereOf = (resource: ResourceModel, { once, sql, tenantRole, ...deeds }: EffectRecords): object =>
  recordsHere(resource, deeds)

/** Does `work`, and waits also for what it began and did not wait for. */
export async function withRecords<T>(scope: EffectScope, work: (records: EffectRecords) => Promise<T>): Promise<T> {
  const { records, settled } = recordsOf(scope)
  const result = await work(records)
  await settled()
  return result
}

/** Works only until its transaction ends. */
function recordsOf(effect: EffectScope) {
  const { write: scope, run } = effect
  const resourceOf = ({ name }: ResourceReference): ResourceModel => {
    const resource = scope.context.model.byName.get(name)
    invariant(resource !== undefined, `the effect names ${name}, which is in this service`)
    return resource
  }
  // A move is several steps.
  const { inTurn, settled } = createTurns()
  const parts: RecordParts = { effect, inTurn, resourceOf }
  const missing = (resource: ResourceModel, ids: readonly string[]) => missingReference(namesOf(ids, resource, effect))
  const reads = readsOf({ scope, inTurn: (program) => inTurn(() => run(program())), resourceOf, missing })
  const records = {
    ...reads,
    ...locksOf(parts, missing),
    ...writesOf(parts),
    sql: (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
      inTurn(() => run(runSql({ strings, values }, scope.context))),
    /** Work that has this key is done once, whoever asks for it again. */
    async once(key: string, work: (own: unknown) => Promise<unknown>): Promise<boolean> {
      if (!(await inTurn(() => run(claimOnce(key, scope))))) return false
      try {
        await work(records)
      } catch (error) {
        await failTransaction(run, error)
      }
      return true
    },
  }
  return { records, settled }
}
/** Where a resource has no `delete`, code deletes all the same. */
const removal = { name: 'delete', kind: 'delete' } as const

interface RecordParts {
  readonly effect: EffectScope
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly resourceOf: (of: ResourceReference) => ResourceModel
}

const locksOf = (
  { effect: { write: scope, run }, inTurn, resourceOf }: RecordParts,
  missing: (resource: ResourceModel, ids: readonly string[]) => Failure,
) => ({
  lockReadable: (definition: ResourceReference, ids: readonly string[]) =>
    inTurn(async () => {
      const unique = [...new Set(ids)].sort()
      const resource = resourceOf(definition)
      const loaded = await run(loadReadable(resource, unique, [], scope))
      const absent = unique.filter((_, index) => loaded[index] === null)
      if (absent.length > 0) throw missing(resource, absent)
      return loaded.map((each) => each!.record)
    }),
  lockExisting: (definition: ResourceReference, ids: readonly string[]) =>
    inTurn(async () => {
      const unique = [...new Set(ids)].sort()
      const loaded = await run(lockExisting(resourceOf(definition), unique, scope))
      return loaded.map((each) => each.record)
    }),
})

function writesOf({ effect, inTurn, resourceOf }: RecordParts) {
  const { write: scope, run } = effect
  const { sideEffects } = scope
  async function decide(target: OtherRecord): Promise<void> {
    const { action, callbackArguments } = target
    if (action?.checkReads !== true) return run(inProgram(() => decideOther(target, null)))
    // As of an effect: what it fails with undoes the transaction.
    const verdict = await verdictOf(action, callbackArguments, { scope, run }).catch((error: unknown) =>
      failTransaction(run, error),
    )
    await run(inProgram(() => decideOther(target, verdict as true | string)))
  }
  const hook = async (written: WrittenRecord): Promise<void> => {
    await tellHook(written, { ...effect, from: undefined }).catch((error: unknown) => failTransaction(run, error))
  }
  async function finish(target: OtherRecord): Promise<void> {
    const { resource, action, id, before, after, changed, callbackArguments } = target
    if (action !== null && action.effect !== null) await runInner(action, target, effect)
    await hook(target)
    await run(writeOther(target, scope))
    if (before !== null) sideEffects.changes.push({ resource, id, change: pick(after, changed) })
    sideEffects.writes.push({ resource, id })
    sideEffects.uncounted.push(...uncountedBy(resource, [action], target))
    if (action !== null) sideEffects.events.push(...emittedBy(action, target, callbackArguments.tokens))
  }
  /** The same fields, and what the hook adds. */
  async function hookedChange(resource: ResourceModel, id: string, change: Readonly<RowValues>): Promise<RowValues> {
    const [loaded] = await run(lockExisting(resource, [id], scope))
    if (loaded === undefined) return change
    const before = loaded.record
    const changed = new Set(Object.keys(change))
    const after = { ...before, ...change }
    await hook({ resource, action: null, id, before, after, changed })
    return pick(after, changed)
  }
  return {
    change: (definition: ResourceReference, id: string, values: Readonly<RowValues>) =>
      inTurn(async () => {
        const resource = resourceOf(definition)
        const change = { ...values }
        if (scope.context.model.onWrite !== null) Object.assign(change, await hookedChange(resource, id, change))
        await run(changeOther(resource, id, change, scope))
        sideEffects.changes.push({ resource, id, change })
        sideEffects.writes.push({ resource, id })
      }),
    create: (definition: ResourceReference, values: Readonly<RowValues>) =>
      inTurn(async () => {
        const resource = resourceOf(definition)
        const target = await run(inProgram(() => beginCreate(resource, values, scope)))
        await decide(target)
        await finish(target)
        return target.after
      }),
    run: (definition: ResourceReference, id: string, move: string, input: Readonly<RowValues> = {}) =>
      inTurn(async () => {
        const action = resourceOf(definition).actions.get(move)
        invariant(action?.kind === 'move', `${definition.name} has the move ${move}`)
        const target = await run(beginMove(action, id, input, scope))
        await decide(target)
        await finish(target)
      }),
    remove: (definition: ResourceReference, id: string) =>
      inTurn(async () => {
        const resource = resourceOf(definition)
        const target = await run(beginRemove(resource, id, scope))
        if (target.action !== null && target.action.effect !== null) await runInner(target.action, target, effect)
        await hook({ ...target, action: removal })
        const others = await run(remove(resource, [id], scope))
        sideEffects.changes.push({ resource, id, change: null }, ...others)
        if (target.action !== null) sideEffects.events.push(...emittedBy(target.action, target))
      }),
  }
}

/** The effect of what an effect runs. Whatever it fails with undoes the transaction, also where its caller catches it. */
async function runInner(
  action: ActionModel,
  target: OtherRecord,
  { write, run, chain, isHook = false }: EffectScope,
): Promise<void> {
  const { resource, callbackArguments } = target
  const values = { ...callbackArguments.record, ...callbackArguments.input }
  try {
    requireEnd([...chain, action], write.context)
    const inner = { write, run, chain, isHook, from: { resource, values } }
    await runEffect(action, callbackArguments, inner, (change) => put(target, change))
  } catch (error) {
    await failTransaction(run, error)
  }
}

/** Undoes the transaction, also where whoever called catches the error. */
const failTransaction = (run: Run, error: unknown): Promise<void> =>
  run(
    inProgram(() => {
      throw error
    }),
  )

/** Effects that run each other must come to an end. They are code, so that only running them shows whether they do. (contract 13.3.7) */
function requireEnd(chain: readonly ActionModel[], { limits }: Pick<RunnerContext, 'limits'>): void {
  const isRing = chain.indexOf(chain.at(-1)!) < chain.length - 1
  if (!isRing && chain.length <= limits.effectDepth) return
  const names = chain.map(({ resource, name }) => `${resource.name}.${name}`).join(', ')
  const problem = isRing ? 'in a ring' : `more than ${limits.effectDepth} deep`
  throw new Error(`Effects run each other ${problem}: ${names}.`)
}

/** A program without statements: what it throws fails its transaction as a statement would. */
// biome-ignore lint/correctness/useYield: it has nothing to ask
function* inProgram<T>(work: () => T): Program<T> {
  return work()
}

/** The fields by which the effect's own record names these; nothing where it found them in another way. */
function namesOf(
  missing: readonly string[],
  target: ResourceModel,
  { from, write }: EffectScope,
): Detail[] | undefined {
  if (from === undefined) return undefined
  const fields = [...from.resource.relations.values()].filter(
    (each) => each.kind === 'one' && each.target === target && missing.includes(from.values[each.field] as string),
  )
  if (fields.length === 0) return undefined
  return fields.map(({ field }) => ({
    field: write.vocabulary.name(from.resource, field),
    message: 'There is no such record.',
    ...(from.target === undefined ? {} : { target: from.target }),
  }))
}
