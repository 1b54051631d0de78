// An action as the service itself runs it: without an actor, so input supplies what the action would take from one.

import { memoizePair } from '../../cache/memoize.ts'
import { kindOf } from '../../resource/field/registry.ts'
import type { OneSpec } from '../../resource/field/relation.ts'
import type { Column } from '../../resource/model/column.ts'
import type { Accepted, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { CallbackArguments } from '../target/move.ts'

/** Accepts what it would take from an actor. `accounts`: the resource of actors. */
export const serviceForm = memoizePair((action: ActionModel, accounts: ResourceModel) =>
  accepting(action, takenFromActor(action, accounts)),
)

/** Accepts these fields, too; they are optional. */
export function accepting(action: ActionModel, columns: readonly Column[]): ActionModel {
  const { accept, sent, set } = action
  const missing = columns.filter(({ field }) => !accept.some((each) => each.field === field))
  if (missing.length === 0) return action
  const others = missing.map(acceptedIfSent)
  return {
    ...action,
    accept: [...accept, ...others],
    sent: [...sent, ...others],
    set: set.map((each) => (missing.includes(each.column) ? { ...each, value: sentOr(each) } : each)),
  }
}

/** Relations to accounts that create fills by default, or that `set` computes. */
function takenFromActor({ kind, resource, set }: ActionModel, accounts: ResourceModel): readonly Column[] {
  const worked = set.filter(({ column, value }) => typeof value === 'function' && isAccount(column, accounts))
  return [...new Set([...(kind === 'create' ? resource.actorColumns : []), ...worked.map(({ column }) => column)])]
}
const isAccount = ({ spec }: Column, accounts: ResourceModel): boolean =>
  spec.kind === 'one' && (spec as OneSpec).target === accounts.name

const acceptedIfSent = (column: Column): Accepted => {
  const { field, spec, nullable } = column
  return { field, spec, kind: kindOf(spec), column, nullable, initial: () => undefined }
}

/** Given values take precedence over `set`, as in effects. */
const sentOr =
  ({ column: { field }, value }: ActionModel['set'][number]) =>
  (callbackArguments: CallbackArguments): unknown => {
    const sent = callbackArguments.input[field]
    return sent === undefined ? (value as (given: CallbackArguments) => unknown)(callbackArguments) : sent
  }
