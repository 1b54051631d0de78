// Who may do what: the half that needs no record, settled before any input is looked at. (contract 4.1.6, 5.4)

import { Failure } from '../failure/failure.ts'
import { mayFilterBy } from '../read-plan/list-access.ts'
import { type Asker, actorOf, credentialRefusal } from '../resource/actor.ts'
import { type Condition, fold } from '../resource/model/condition.ts'
import type { ActionModel, FilterModel, QueryModel, ResourceModel } from '../resource/model/model.ts'
import { allowCondition } from '../resource/model/record-action.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { speaksOfMe, type WhereTree } from '../resource/model/where.ts'

/**
 * What remains to be asked of the record once the actor is known.
 * Fails with UNAUTHENTICATED (nobody is signed in and somebody must be), INSUFFICIENT_SCOPE (an API key without the
 * action's scope), FORBIDDEN (no record could make it allowed, or it is about credentials and the actor is an API key).
 */
export function authorizeActor(action: ActionModel, actor: Asker): Condition {
  const condition = allowCondition(action, actor)
  if (condition.is === 'never') throw new Failure(refusalFor(actor))
  requireReach(action, actor)
  return condition
}

/** Whoever shows no credential is asked for one, whatever access code there is. */
const refusalFor = (asker: Asker): 'UNAUTHENTICATED' | 'FORBIDDEN' =>
  actorOf(asker) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'

/** Fails with INSUFFICIENT_SCOPE or FORBIDDEN where the actor is an API key that does not reach so far. (contract 5.3.6, 5.3.7) */
function requireReach({ name: verb, resource }: ActionModel, actor: Asker): void {
  const refusal = credentialRefusal(actor, verb, resource)
  if (refusal === null) return
  const message = refusal === 'FORBIDDEN' ? keysSeeNoKeys : `This needs the scope ${verb}:${resource.path}.`
  throw new Failure(refusal, { message })
}
const keysSeeNoKeys = 'An API key can neither see nor manage API keys and sessions.'

/** Fails with UNAUTHENTICATED or FORBIDDEN. Asking is reading: an API key needs the scope of that, and no other. */
export function authorizeQuery({ allow, resource }: QueryModel, actor: Asker): void {
  if (fold(allow, resource, actor).is === 'never') throw new Failure(refusalFor(actor))
}

/** Fails with UNAUTHENTICATED or FORBIDDEN where one of these filters, in use, needs a permission that the actor lacks. */
export function authorizeFilters(
  filters: readonly FilterModel[],
  resource: ResourceModel,
  actor: Asker,
  { filter: nameOf }: Pick<Vocabulary, 'filter'>,
): void {
  const refused = filters.find((each) => !mayFilterBy(each, resource, actor))
  if (refused === undefined) return
  const message = `You may not filter by ${nameOf(resource, refused.name)}.`
  throw new Failure(refusalFor(actor), { message })
}

/** Fails with UNAUTHENTICATED where a condition speaks of whoever asks, and that is nobody. (contract 12.1.7) */
export function authorizeWhere(tree: WhereTree | null | undefined, actor: Asker): void {
  if (tree != null && actorOf(actor) === null && speaksOfMe(tree)) throw new Failure('UNAUTHENTICATED')
}

/** What lists need whatever their records are, those below a record too. Fails like `authorizeActor` and `authorizeFilters`. */
export function authorizeLists(
  lists: readonly { readonly resource: ResourceModel; readonly filters: readonly FilterModel[] }[],
  actor: Asker,
  vocabulary: Pick<Vocabulary, 'filter'>,
): void {
  for (const { resource, filters } of lists) {
    authorizeActor(resource.read, actor)
    authorizeFilters(filters, resource, actor, vocabulary)
  }
}

/** What a field's own rule leaves to ask; null where the field has none. Fails like `authorizeActor`. */
export function authorizeField(
  action: ActionModel,
  field: string,
  actor: Asker,
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
