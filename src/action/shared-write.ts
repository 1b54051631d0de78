// Which writes may share a transaction with others, and with which not. Without sharing: the same answers, and a commit for each.

import type { ActionModel } from '../resource/model/model.ts'
import type { WriteOptions } from '../store/store.ts'
import type { CheckedWrite } from './target-state.ts'
import type { ValidInput } from './valid-input.ts'

/**
 * A create adds records that nobody refers to yet. A change says which records it is about, so that two that read or change what the
 * other one changes are done one after the other. What looks at more than these has a transaction of its own.
 */
export function sharing({ call, inputs }: CheckedWrite, accounts: ActionModel['resource']): Partial<WriteOptions> {
  const { action, targets } = call
  const { resource, kind } = action
  if (call.selection != null) return {}
  if (action.effect !== null || inputs.some(({ also }) => also.some((move) => move.effect !== null))) return {}
  if (kind === 'create') return { shareable: true }
  if (kind !== 'update' && kind !== 'move') return {}
  // An account is read by whatever it does, and an invariant counts all records that are alike.
  if (resource === accounts || resource.invariants.length > 0) return {}
  const namesMore = ({ keyed, lists }: ValidInput) => keyed.length + lists.links.length + lists.replaced.length > 0
  if (inputs.some((input) => namesMore(input) || readsStored(action, input))) return {}
  const ids = targets.flatMap(({ id }) => (typeof id === 'string' ? id : []))
  if (ids.length < targets.length) return {}
  return { shareable: true, changes: ids, reads: inputs.flatMap((input) => referredBy(action, input)) }
}

/** Whether it is compared with a record that it does not name itself. */
const readsStored = ({ resource }: ActionModel, { fields }: ValidInput): boolean =>
  [...resource.relations.values()].some(
    (relation) =>
      relation.kind === 'one' && !(relation.field in fields) && relation.same.some((same) => same in fields),
  )

/** The records that it names: of values that hold ids within themselves, all texts. */
const referredBy = ({ accept }: ActionModel, { fields }: ValidInput): readonly string[] =>
  accept.flatMap(({ field, spec }) => (spec.kind === 'text' ? [] : textsIn(fields[field])))

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return []
  return Object.values(value).flatMap(textsIn)
}
