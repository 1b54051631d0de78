// Decides who may do what, as far as that needs no record and no input. (contract 4.1.6, 5.4)

import { Failure } from '../failure/failure.ts'
import { mayFilterBy } from '../read-plan/list-access.ts'
import { actorOf, type Caller, credentialRefusal } from '../resource/actor.ts'
import type { ActionModel, FilterModel, QueryModel, ResourceModel } from '../resource/model/model.ts'
import { type Condition, fold } from '../resource/model/rule/condition.ts'
import { allowCondition } from '../resource/model/rule/record-action.ts'
import { comparesWithMe, type WhereTree } from '../resource/model/rule/where.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Returns the condition that the record must still meet. Fails with UNAUTHENTICATED, INSUFFICIENT_SCOPE, or FORBIDDEN. */
export function authorizeActor(action: ActionModel, actor: Caller): Condition {
  const condition = allowCondition(action, actor)
  if (condition.is === 'never') throw new Failure(refusalFor(actor))
  requireKeyAccess(action, actor)
  return condition
}

/** An access code is no credential, so its caller gets 401 as well. */
const refusalFor = (caller: Caller): 'UNAUTHENTICATED' | 'FORBIDDEN' =>
  actorOf(caller) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'

/** Fails with INSUFFICIENT_SCOPE or FORBIDDEN if an API key does not cover the action. (contract 5.3.6, 5.3.7) */
function requireKeyAccess({ name: verb, resource }: ActionModel, actor: Caller): void {
  const refusal = credentialRefusal(actor, verb, resource)
  if (refusal === null) return
  const message = refusal === 'FORBIDDEN' ? keysSeeNoKeys : `This needs the scope ${verb}:${resource.path}.`
  throw new Failure(refusal, { message })
}
/** Fails as `authorizeActor`. */
export const requireReadScope = ({ read }: ResourceModel, actor: Caller): void => requireKeyAccess(read, actor)
const keysSeeNoKeys = 'An API key can neither see nor manage API keys, sessions and webhooks.'

/** Fails with UNAUTHENTICATED or FORBIDDEN. An API key needs the scope to read. */
export function authorizeQuery({ allow, resource }: QueryModel, actor: Caller): void {
  if (fold(allow, resource, actor).is === 'never') throw new Failure(refusalFor(actor))
}

/** Fails with UNAUTHENTICATED or FORBIDDEN if a filter in use requires a missing permission. */
export function authorizeFilters(
  filters: readonly FilterModel[],
  resource: ResourceModel,
  actor: Caller,
  { filter: nameOf }: Pick<Vocabulary, 'filter'>,
): void {
  const refused = filters.find((each) => !mayFilterBy(each, resource, actor))
  if (refused === undefined) return
  const message = `You may not filter by ${nameOf(resource, refused.name)}.`
  throw new Failure(refusalFor(actor), { message })
}

/** Fails with UNAUTHENTICATED if an anonymous caller compares with `me`. (contract 12.1.7) */
export function authorizeWhere(tree: WhereTree | null | undefined, actor: Caller): void {
  if (tree != null && actorOf(actor) === null && comparesWithMe(tree)) throw new Failure('UNAUTHENTICATED')
}

/** Also below a record. Fails as `authorizeActor` and `authorizeFilters`. */
export function authorizeLists(
  lists: readonly { readonly resource: ResourceModel; readonly filters: readonly FilterModel[] }[],
  actor: Caller,
  vocabulary: Pick<Vocabulary, 'filter'>,
): void {
  for (const { resource, filters } of lists) {
    authorizeActor(resource.read, actor)
    authorizeFilters(filters, resource, actor, vocabulary)
  }
}

/** The rest of a field's own rule; null if it has none. Fails as `authorizeActor`. */
export function authorizeField(
  action: ActionModel,
  field: string,
  actor: Caller,
  { name }: Pick<Vocabulary, 'name'>,
): Condition | null {
  const rule = action.resource.protect.get(field)?.write
  if (rule === undefined) return null
  const condition = fold(rule, action.resource, actor)
  if (condition.is === 'never') {
    throw new Failure(refusalFor(actor), {
      message: `You may not write ${name(action.resource, field)}.`,
    })
  }
  return condition
}
