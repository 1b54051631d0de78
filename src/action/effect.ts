// Other records, inside the transaction of an effect: what `records` in a definition can do.

import { type Detail, invariant } from '../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program, Run } from '../store/store.ts'
import type { WriteCall } from './call.ts'
import type { EmittedEvent, OtherChange, RunnerContext } from './context.ts'
import { loadReadable, type RowValues } from './load.ts'
import { type CallbackArguments, emittedBy, refusedBy } from './move.ts'
import {
  changeOther,
  decideCreate,
  decideMove,
  lockExisting,
  type OtherRecord,
  pick,
  writeOther,
} from './other-record.ts'
import { missingReference } from './reference.ts'
import { put } from './target-state.ts'

/** Who asks, and in which words. */
export type Asker = Pick<WriteCall, 'actor' | 'vocabulary'> & {
  /** The record whose effect it is, with its input; absent where there is none. */
  readonly from?: { readonly resource: ResourceModel; readonly values: Readonly<RowValues>; readonly target?: number }
  /** The actions whose effects are running, each of which ran the next; absent where none is. */
  readonly chain?: readonly ActionModel[]
}
type Named = { readonly name: string }

/** What effects did beside the records that were asked for. */
export interface Noted {
  readonly others: OtherChange[]
  readonly events: EmittedEvent[]
  /** The records that were created, changed or moved, in this order, each as often as that was. */
  readonly written: { readonly resource: ResourceModel; readonly id: string }[]
}
/** What all effects of one transaction share. */
export interface EffectScope {
  readonly context: RunnerContext
  readonly statements: WriteStatements
  readonly now: Date
  readonly run: Run
  /** What they do is noted here. */
  readonly noted: Noted
}
export type EffectRecords = ReturnType<typeof recordsOf>['records']

/** Runs the effect of an action, and answers the sentence by which it refuses. `assign` fills in fields of its record. */
export const runEffect = (
  action: ActionModel,
  callbackArguments: CallbackArguments,
  assign: ((change: Readonly<RowValues>) => void) | null,
  asker: Asker,
  scope: EffectScope,
): Promise<unknown> =>
  withRecords({ ...asker, chain: [...(asker.chain ?? []), action] }, scope, async (records) =>
    action.effect!({
      ...callbackArguments,
      records: { ...records, here: recordsHere(action.resource, records) },
      ...(assign === null ? {} : { assign }),
    }),
  )

/** Does `work`, and waits also for what it began and did not wait for. */
export async function withRecords<T>(
  asker: Asker,
  scope: EffectScope,
  work: (records: EffectRecords) => Promise<T>,
): Promise<T> {
  const { records, settled } = recordsOf(asker, scope)
  const result = await work(records)
  await settled()
  return result
}

/** Works only until its transaction ends. */
function recordsOf(asker: Asker, scope: EffectScope) {
  const { context, statements, now, run, noted } = scope
  const { model, dialect } = context
  const resourceOf = ({ name }: Named): ResourceModel => {
    const resource = model.byName.get(name)
    invariant(resource !== undefined, `the effect names ${name}, which is in this service`)
    return resource
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, whatever the effect does not wait for: a move is several steps. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  async function settled(): Promise<void> {
    for (let seen: Promise<unknown> | null = null; seen !== last; ) {
      seen = last
      await seen
    }
  }
  async function write(target: OtherRecord): Promise<void> {
    const { resource, action, id, before, after, changed } = target
    if (action !== null && action.effect !== null) await runInner(action, target, asker, scope)
    await run(writeOther(target, now, statements, dialect))
    if (before !== null) noted.others.push({ resource, id, change: pick(after, changed) })
    noted.written.push({ resource, id })
    if (action !== null) noted.events.push(...emittedBy(action, id, after))
  }
  const records = {
    lockReadable: (named: Named, ids: readonly string[]) =>
      inTurn(async () => {
        const unique = [...new Set(ids)].sort()
        const resource = resourceOf(named)
        const loaded = await run(loadReadable(resource, unique, [], asker.actor, 'update', statements, dialect))
        const missing = unique.filter((_, index) => loaded[index] === null)
        if (missing.length > 0) throw missingReference(namesOf(missing, resource, asker))
        return loaded.map((each) => each!.record)
      }),
    lockExisting: (named: Named, ids: readonly string[]) =>
      inTurn(async () => {
        const unique = [...new Set(ids)].sort()
        const loaded = await run(lockExisting(resourceOf(named), unique, statements, dialect))
        return loaded.map((each) => each.record)
      }),
    change: (named: Named, id: string, values: Readonly<RowValues>) =>
      inTurn(async () => {
        const resource = resourceOf(named)
        const change = { ...values }
        await run(changeOther(resource, id, change, now, statements, dialect))
        noted.others.push({ resource, id, change })
        noted.written.push({ resource, id })
      }),
    create: (named: Named, values: Readonly<RowValues>) =>
      inTurn(async () => {
        const resource = resourceOf(named)
        const target = await run(inProgram(() => decideCreate(resource, values, asker, now, context)))
        await write(target)
        return target.after
      }),
    run: (named: Named, id: string, move: string, input: Readonly<RowValues> = {}) =>
      inTurn(async () => {
        const action = resourceOf(named).actions.get(move)
        invariant(action?.kind === 'move', `${named.name} has the move ${move}`)
        await write(await run(decideMove(action, id, input, asker, now, statements, dialect)))
      }),
  }
  return { records, settled }
}

/** The effect of what an effect runs. Whatever it fails with undoes the transaction, also where its caller catches it. */
async function runInner(
  action: ActionModel,
  target: OtherRecord,
  { actor, vocabulary, chain = [] }: Asker,
  scope: EffectScope,
): Promise<void> {
  const { resource, callbackArguments } = target
  try {
    requireEnd([...chain, action], scope.context)
    const asker = {
      actor,
      vocabulary,
      chain,
      from: { resource, values: { ...callbackArguments.record, ...callbackArguments.input } },
    }
    const sentence = await runEffect(action, callbackArguments, (change) => put(target, change), asker, scope)
    if (typeof sentence === 'string') throw refusedBy(sentence)
  } catch (error) {
    await scope.run(
      inProgram(() => {
        throw error
      }),
    )
  }
}

/** Effects that run each other must come to an end. */
function requireEnd(chain: readonly ActionModel[], { limits }: Pick<RunnerContext, 'limits'>): void {
  const names = chain.map(({ resource, name }) => `${resource.name}.${name}`).join(', ')
  invariant(chain.indexOf(chain.at(-1)!) === chain.length - 1, `effects run each other in no ring: ${names}`)
  invariant(chain.length <= limits.effectDepth, `effects run each other ${limits.effectDepth} deep at most: ${names}`)
}

/** A program without statements: what it throws fails its transaction as a statement would. */
// biome-ignore lint/correctness/useYield: it has nothing to ask
function* inProgram<T>(work: () => T): Program<T> {
  return work()
}

/** The fields by which the effect's own record names these; nothing where it found them in another way. */
function namesOf(missing: readonly string[], target: ResourceModel, { from, vocabulary }: Asker): Detail[] | undefined {
  if (from === undefined) return undefined
  const fields = [...from.resource.relations.values()].filter(
    (each) => each.kind === 'one' && each.target === target && missing.includes(from.values[each.field] as string),
  )
  if (fields.length === 0) return undefined
  return fields.map(({ field }) => ({
    field: vocabulary.name(from.resource, field),
    message: 'There is no such record.',
    ...(from.target === undefined ? {} : { target: from.target }),
  }))
}

/** The same of one resource, which need not be named. */
const recordsHere = (resource: ResourceModel, records: EffectRecords) => ({
  lockReadable: (ids: readonly string[]) => records.lockReadable(resource, ids),
  lockExisting: (ids: readonly string[]) => records.lockExisting(resource, ids),
  change: (id: string, change: RowValues) => records.change(resource, id, change),
  create: (values: RowValues) => records.create(resource, values),
  run: (id: string, move: string, input?: RowValues) => records.run(resource, id, move, input),
})
