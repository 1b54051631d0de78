// Keeps compiled plans. A face keeps its roots in a bounded cache of its own; a plan lives as long as its root.

import { getOrInsert } from '../cache/get-or-insert.ts'
import {
  type Actor,
  type Asker,
  actorOf,
  codeClassOf,
  credentialRefusal,
  isService,
  roleClassOf,
  theService,
} from '../resource/actor.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { recordActions } from '../resource/model/record-action.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { SummaryShape } from '../store/sql/summary.ts'
import { tellsCan } from './can.ts'
import { compileRead } from './compile.ts'
import { allOptimisations, type Optimisations } from './optimise/optimise.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Root } from './selection.ts'
import { compileSummary, type SummaryPlan } from './summary.ts'

export interface PlanCache {
  /** The plan of this root for all actors of this actor's class. */
  plan(root: Root, actor: Asker): ReadPlan
  summary(shape: SummaryShape, actor: Asker): SummaryPlan
  /** Since the start: how often a plan was there, and how often it had to be compiled. */
  readonly counts: { readonly hits: number; readonly misses: number }
}

/** Without an optimisation, the plans cost more and answer the same. */
export function createPlanCache(
  model: Model,
  dialect: Dialect,
  optimisations: Optimisations = allOptimisations,
): PlanCache {
  const plans = new WeakMap<Root, Map<string, ReadPlan>>()
  const summaries = new WeakMap<SummaryShape, Map<string, SummaryPlan>>()
  const scopeClasses = new WeakMap<ReadonlySet<string>, string>()
  const actionClasses = new WeakMap<ReadonlySet<string>, string>()
  const reach = (actor: Actor, verb: string, resource: ResourceModel) =>
    credentialRefusal(actor, verb, resource) === null ? '1' : '0'
  const scopeClass = (actor: Actor): string =>
    getOrInsert(scopeClasses, actor.scopes!, () =>
      model.resources.map((resource) => reach(actor, 'read', resource)).join(''),
    )
  const actionClass = (actor: Actor): string =>
    getOrInsert(actionClasses, actor.scopes!, () =>
      model.resources
        .flatMap((resource) => recordActions(resource).map(({ name }) => reach(actor, name, resource)))
        .join(''),
    )
  const classOf = (asker: Asker, tells: boolean): string => {
    if (isService(asker)) return asker === theService ? '*' : `*${asker.inside.resource}`
    return classOfActor(actorOf(asker), tells) + codeClassOf(asker)
  }
  const classOfActor = (actor: Actor | null, tells: boolean): string => {
    if (actor === null) return ''
    if (actor.scopes === null) return roleClassOf(actor)
    return `${roleClassOf(actor)}/${scopeClass(actor)}${tells ? `/${actionClass(actor)}` : ''}`
  }
  const counts = { hits: 0, misses: 0 }
  function kept<P>(byClass: Map<string, P>, actorClass: string, compile: () => P): P {
    const compiled = byClass.get(actorClass)
    if (compiled !== undefined) {
      counts.hits++
      return compiled
    }
    counts.misses++
    // Scopes combine to more classes than anybody uses at once: the oldest goes.
    if (byClass.size >= classesMax) byClass.delete(byClass.keys().next().value!)
    const plan = compile()
    byClass.set(actorClass, plan)
    return plan
  }
  return {
    counts,
    plan(root, actor) {
      const byClass = getOrInsert(plans, root, () => new Map<string, ReadPlan>())
      return kept(byClass, classOf(actor, tellsCan(root)), () => compileRead(root, actor, dialect, optimisations))
    },
    summary(shape, actor) {
      const byClass = getOrInsert(summaries, shape, () => new Map<string, SummaryPlan>())
      return kept(byClass, classOf(actor, false), () => compileSummary(shape, actor, dialect))
    },
  }
}

// Nobody, a few roles, and a few kinds of API keys.
const classesMax = 16
