// Runs an asynchronous `check` in the transaction. What it reads stays locked, so that two of them cannot pass on the same state.
// (contract 13.4)

import { memoizePair } from '../../cache/memoize.ts'
import { invariant } from '../../failure/failure.ts'
import type { Caller } from '../../resource/actor.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import type { AsyncStep, Program, Run } from '../../store/store.ts'
import { takeInOrder } from '../row/advisory-lock.ts'
import { missingReference } from '../row/load.ts'
import { lockOf, lockRecords, locksRows } from '../row/lock.ts'
import { type CallbackArguments, refusedBy, requireRule } from '../target/move.ts'
import type { AdvisoryLock, WriteScope } from '../write-scope.ts'
import { readsOf } from './effect-reads.ts'
import { outermostOf, outermostTenant, serviceAround } from './outermost-tenant.ts'
import { type ResourceReference, recordsHere } from './reads.ts'

/** Fails with BUSINESS_RULE_VIOLATION and the definition's own sentence. */
export function* requireCheck(
  action: ActionModel,
  callbackArguments: CallbackArguments,
  scope: WriteScope,
): Program<void> {
  if (!action.checkReads) return requireRule(action, callbackArguments)
  const outcome: { error?: unknown; verdict?: unknown } = {}
  const step: AsyncStep = {
    async run(run) {
      const records = lockingReads(action, callbackArguments, scope, run)
      try {
        outcome.verdict = await action.check!({ ...callbackArguments, records })
      } catch (error) {
        // Thrown below, where the record is known.
        outcome.error = error
      }
    },
  }
  yield step
  const { error, verdict } = outcome
  if (error !== undefined) throw error
  if (verdict === true) return
  if (typeof verdict === 'string') throw refusedBy(verdict)
  throw new Error(`${action.resource.name}.${action.name}.check answers neither true nor a sentence.`)
}

function lockingReads(action: ActionModel, moment: CallbackArguments, scope: WriteScope, run: Run) {
  const { context } = scope
  const isLocking = locksRows(scope)
  const resourceOf = ({ name }: ResourceReference): ResourceModel => {
    const resource = context.model.byName.get(name)
    invariant(resource !== undefined, `the check names ${name}, which is in this service`)
    return resource
  }
  const lock = (resource: ResourceModel, ids: readonly string[]) =>
    lockRecords(resource, ids, lockOf(resource, scope), scope)
  const missing = () => missingReference()
  const lockSearch = async (of: ResourceReference): Promise<void> => {
    if (!isLocking) return
    for (const lock of locksOf(resourceOf(of), action, moment, context.model)) await run(takeInOrder(lock, scope))
  }
  const readsAs = (actor: Caller) => {
    const reads = readsOf({ scope: { ...scope, actor }, run, resourceOf, lock: isLocking ? lock : null, missing })
    const afterLock =
      <Rest extends readonly unknown[], T>(read: (of: ResourceReference, ...rest: Rest) => Promise<T>) =>
      async (of: ResourceReference, ...rest: Rest): Promise<T> => {
        await lockSearch(of)
        return await read(of, ...rest)
      }
    const methods = {
      get: reads.get,
      list: afterLock(reads.list),
      count: afterLock(reads.count),
      sum: afterLock(reads.sum),
      max: afterLock(reads.max),
      distinct: afterLock(reads.distinct),
    }
    const summary = afterLock(reads.summary)
    const here = recordsHere(action.resource, methods)
    return { tenantRole: reads.tenantRole, methods: { ...methods, summary, here } }
  }
  const { tenantRole, methods } = readsAs(scope.actor)
  return { ...methods, tenantRole, all: readsAs(serviceAround(action, moment)).methods }
}

/**
 * New records cannot be locked, so checks that search one resource in one outermost tenant wait for each other's commit, and a check
 * outside of that tenant for those of every tenant. (contract 13.4.3)
 */
function locksOf(
  of: ResourceModel,
  action: ActionModel,
  moment: CallbackArguments,
  model: Model,
): readonly AdvisoryLock[] {
  const own = outermostTenant(action, moment)
  const outer = outermostOf(of)
  const everywhere = `check ${of.name} `
  if (outer === null || outer !== own?.resource || own.id === '') return [{ name: everywhere, isShared: false }]
  const inTenant = { name: everywhere + own.id, isShared: false }
  return areCheckedOutside(outer, model) ? [{ name: everywhere, isShared: true }, inTenant] : [inTenant]
}

/** Whether a check outside of these tenants can count their records. */
const areCheckedOutside = memoizePair((tenant: ResourceModel, { resources }: Model) =>
  resources.some(
    (each) => outermostOf(each) !== tenant && [...each.actions.values()].some(({ checkReads }) => checkReads),
  ),
)
