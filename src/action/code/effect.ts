// Runs effects and the hook of all writes as steps of the transaction. A sentence that they return refuses the write.

import { accountOf, actorOf } from '../../resource/actor.ts'
import { beginningsOf } from '../../resource/field/choice.ts'
import type { WriteRequest } from '../../resource/language/write-hook.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { AsyncStep, Program } from '../../store/store.ts'
import type { RunnerContext } from '../context.ts'
import { ownFields, requireFields, withoutEithers } from '../row/fit.ts'
import type { RowValues } from '../row/load.ts'
import { resetVerified } from '../row/verified-login.ts'
import { mapConflicts } from '../target/commit.ts'
import { type CallbackArguments, refusedBy } from '../target/move.ts'
import type { CodeStages, StageScope } from '../target/stages.ts'
import { type Origin, type PartTargets, pick, put, type StagedPart, type TargetState } from '../target/target-state.ts'
import { requireCheck } from './check.ts'
import { serviceAround } from './outermost-tenant.ts'
import { type EffectRecord, type EffectRecords, type EffectScope, readsIn, recordsOf } from './own-records.ts'
import { recordsHere } from './reads.ts'

export const codeStages: CodeStages = { check: requireCheck, effects: runEffects }

function* runEffects({ part, targets }: PartTargets<StagedPart>, scope: StageScope): Program<void> {
  const { resource } = part.action
  for (const [index, target] of targets.entries()) {
    const origin = part.origin ?? { ...originOf(resource), target: index }
    const place = part.origin === undefined ? { target: index } : {}
    for (const action of target.actions) {
      if (action.effect === null) continue
      const { record, input } = target.callbackArguments
      const from = { resource, values: { ...record, ...input }, ...place }
      const assign = (change: Readonly<RowValues>) => {
        requireFields(`assign of ${resource.name}.${action.name}`, change)
        requireBeginning(action, change)
        put(target, withoutEithers(change, resource))
      }
      yield effectStep(action, { ...target.callbackArguments, assign }, { origin, from }, scope)
    }
    // A record that code changes and that is gone is not written.
    const isWritten = part.action.kind === 'create' || target.before !== null
    if (scope.context.model.onWrite === null || origin.isHook || !isWritten) continue
    const from = part.origin === undefined ? { resource, values: target.after, ...place } : undefined
    yield hookStep(target, part.action, { origin, from }, scope)
  }
}

/** Throws if code chooses a state in which no new record may begin: states change by moves. (contract 3.1.3) */
function requireBeginning(
  { name, kind, resource: { name: owner, state } }: ActionModel,
  change: Readonly<RowValues>,
): void {
  if (state === null || !(state.field in change)) return
  const beginnings = kind === 'create' ? beginningsOf(state.spec) : []
  if (beginnings.length > 1 && beginnings.includes(change[state.field] as string)) return
  const remedy = 'Only moves change it, and begins lists what create may choose.'
  throw new Error(`The service's own code assigns ${owner}.${state.field} in ${owner}.${name}. ${remedy}`)
}

export const originOf = (resource: ResourceModel | null): Origin => ({ chain: [], isHook: false, resource, target: 0 })

interface Runs {
  readonly origin: Origin
  readonly from: EffectRecord | undefined
}

/** Fails with BUSINESS_RULE_VIOLATION. */
export function effectStep(
  action: ActionModel,
  callbackArguments: CallbackArguments & { readonly assign?: (change: Readonly<RowValues>) => void },
  { origin, from }: Runs,
  scope: StageScope,
): AsyncStep {
  const chain = [...origin.chain, action]
  return codeStep({ origin: { ...origin, chain }, from }, scope, (records, effect) => {
    requireEnd(chain, scope.context)
    const { once, sql, tenantRole, ...methods } = records
    const here = recordsHere(action.resource, methods)
    const { each, tenantRole: _, ...all } = readsIn(effect, serviceAround(action, callbackArguments))
    const own = { ...records, here, all: { ...all, here: recordsHere(action.resource, all) } }
    return action.effect!({ ...callbackArguments, records: own })
  })
}

export const codeStep = (
  { origin, from }: Runs,
  scope: StageScope,
  work: (records: EffectRecords, effect: EffectScope) => Promise<unknown>,
): AsyncStep => ({
  async run(run) {
    const effect = { scope, origin, from, run: mapConflicts(run, origin, scope) }
    const sentence = await work(recordsOf(effect), effect)
    if (typeof sentence === 'string') throw refusedBy(sentence, from?.target)
  },
})

/** Fails with BUSINESS_RULE_VIOLATION. */
function hookStep(
  target: TargetState,
  { resource, kind }: StagedPart['action'],
  { origin, from }: Runs,
  scope: StageScope,
): AsyncStep {
  const { id, before, after, changed, actions } = target
  const [action = null] = actions
  return codeStep({ origin: { ...origin, isHook: true }, from }, scope, async (records) => {
    resetVerified(resource, target)
    const change = kind === 'delete' ? null : pick(after, kind === 'create' ? storedFields(resource) : changed)
    const toBe = { ...change }
    const sentence = await scope.context.model.onWrite!({
      resource: resource.name,
      action: kind === 'delete' ? 'delete' : (action?.name ?? null),
      id,
      change,
      actor: accountOf(scope.actor),
      request: requestOf(scope),
      now: scope.now,
      before,
      record: { ...after },
      records: records as never,
    })
    if (typeof sentence === 'string') return sentence
    for (const [field, value] of Object.entries(change ?? {})) {
      if (value === toBe[field]) continue
      if (resource.state?.field === field)
        throw new Error(`onWrite changes ${resource.name}.${field}, which only moves change.`)
      put(target, { [field]: value })
    }
    return undefined
  })
}
const requestOf = ({ request, actor }: StageScope): WriteRequest | null => {
  const credential = actorOf(actor)?.credential
  return request && { ...request, keyId: credential?.kind === 'apiKey' ? credential.keyId : null }
}

const storedFields = ({ columns }: ResourceModel): readonly string[] =>
  columns.flatMap(({ field, secret, spec }) =>
    secret || spec.kind === 'counter' || ownFields.has(field) ? [] : [field],
  )

/** Only running effects shows whether they run each other forever. (contract 13.3.7) */
function requireEnd(chain: readonly ActionModel[], { limits }: Pick<RunnerContext, 'limits'>): void {
  const isRing = chain.indexOf(chain.at(-1)!) < chain.length - 1
  if (!isRing && chain.length <= limits.effectDepth) return
  const names = chain.map(({ resource, name }) => `${resource.name}.${name}`).join(', ')
  const problem = isRing ? 'in a ring' : `more than ${limits.effectDepth} deep`
  throw new Error(`Effects run each other ${problem}: ${names}.`)
}
