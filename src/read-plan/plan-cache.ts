// Plans are cached with their roots, which a face keeps in a bounded cache.

import { getOrInsert } from '../cache/get-or-insert.ts'
import {
  type Actor,
  actorOf,
  type Caller,
  codeClassOf,
  credentialRefusal,
  isService,
  roleClassOf,
  theService,
} from '../resource/actor.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import { recordActions } from '../resource/model/rule/record-action.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { compileRead } from './compile.ts'
import { allOptimisations, type Optimisations } from './optimise/optimise.ts'
import type { ReadPlan } from './read-plan.ts'
import { elementsOf, type Root, type Selection } from './selection.ts'
import { compileSummary, type SummaryPlan, type SummaryRoot } from './summary.ts'

export interface PlanCache {
  /** For the actor's class. */
  plan(root: Root, actor: Caller): ReadPlan
  summary(shape: SummaryRoot, actor: Caller): SummaryPlan
  readonly counts: { readonly hits: number; readonly misses: number }
}

/** Without an optimisation, plans are slower with equal answers. */
export function createPlanCache(
  model: Model,
  dialect: Dialect,
  optimisations: Optimisations = allOptimisations,
): PlanCache {
  const plans = new WeakMap<Root, Map<string, ReadPlan>>()
  const summaries = new WeakMap<SummaryRoot, Map<string, SummaryPlan>>()
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
  const classOf = (caller: Caller, includesCan: boolean): string => {
    if (isService(caller)) return caller === theService ? '*' : `*${caller.inside.resource}`
    return classOfActor(actorOf(caller), includesCan) + codeClassOf(caller)
  }
  const classOfActor = (actor: Actor | null, includesCan: boolean): string => {
    if (actor === null) return ''
    if (actor.scopes === null) return roleClassOf(actor)
    return `${roleClassOf(actor)}/${scopeClass(actor)}${includesCan ? `/${actionClass(actor)}` : ''}`
  }
  const counts = { hits: 0, misses: 0 }
  function kept<P>(byClass: Map<string, P>, actorClass: string, compile: () => P): P {
    const compiled = byClass.get(actorClass)
    if (compiled !== undefined) {
      counts.hits++
      return compiled
    }
    counts.misses++
    // Combinations of scopes are many more than are in use: evicts the oldest.
    if (byClass.size >= classesMax) byClass.delete(byClass.keys().next().value!)
    const plan = compile()
    byClass.set(actorClass, plan)
    return plan
  }
  return {
    counts,
    plan(root, actor) {
      const byClass = getOrInsert(plans, root, () => new Map<string, ReadPlan>())
      return kept(byClass, classOf(actor, answersCan(root)), () => compileRead(root, actor, dialect, optimisations))
    },
    summary(shape, actor) {
      const byClass = getOrInsert(summaries, shape, () => new Map<string, SummaryPlan>())
      return kept(byClass, classOf(actor, false), () => compileSummary(shape, actor, dialect))
    },
  }
}

/** Whether a record in the answer includes `can`, which depends on all scopes of an API key, not only those for reading. */
const answersCan = (root: Root): boolean => (root.kind === 'list' ? elementsOf(root.parts) : [root.of]).some(hasCan)

const hasCan = ({ parts }: Selection): boolean =>
  parts.some(
    (part) =>
      part.kind === 'can' || ((part.kind === 'one' || part.kind === 'list' || part.kind === 'self') && hasCan(part.of)),
  )

// Anonymous, a few roles, and a few kinds of API keys.
const classesMax = 16
