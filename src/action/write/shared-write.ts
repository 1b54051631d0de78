// Decides which writes may share a transaction.

import { memoize } from '../../cache/memoize.ts'
import type { ActionModel, LinkRelation } from '../../resource/model/model.ts'
import { changesRuledSum, guardedLinks, isRuledLink, ruledHoldings } from '../../resource/model/number/holding.ts'
import type { WriteOptions } from '../../store/store.ts'
import { isInTree } from '../row/tree.ts'
import { writtenFields } from '../target/lock-plan.ts'
import type { ChildPart, Part } from '../target/part.ts'
import type { CheckedWrite } from '../target/target-state.ts'
import type { ValidInput } from '../valid-input.ts'

/**
 * A write declares what it changes and reads; writes that conflict run one after the other. A create changes the holders whose
 * numbers or lists rules use, and reads its other references. Others have a transaction of their own. (contract 5.4.5)
 */
export function sharing(
  { call, inputs, children }: CheckedWrite,
  accounts: ActionModel['resource'],
): Partial<WriteOptions> {
  const { action, targets } = call
  const { resource, kind } = action
  // The lock of a tree is taken before any row.
  if (isInTree(resource) || children.some((each) => isInTree(each.action.resource))) return {}
  if (call.selection != null) return {}
  // Its last locks would not be a shared transaction's last ones.
  if ([{ action, inputs }, ...children].some((part) => mayOverlap(part) || changesRuledSum(part.action.resource)))
    return {}
  if (action.effect !== null || inputs.some(({ also }) => also.some((move) => move.effect !== null))) return {}
  if (kind === 'create') return sharingOfCreate([{ action, inputs }, ...children])
  if (kind !== 'update' && kind !== 'move') return {}
  // Every write reads its account, and an invariant counts records of other writes.
  if (resource === accounts || resource.invariants.length > 0) return {}
  const namesMore = ({ keyed, lists }: ValidInput) => keyed.length + lists.links.length + lists.replaced.length > 0
  if (inputs.some((input) => namesMore(input) || readsStored(action, input))) return {}
  const written = writtenFields(action, inputs)
  if (ruledHoldings(resource, written).length + guardedLinks(resource, written).length > 0) return {}
  const ids = targets.flatMap(({ id }) => (typeof id === 'string' ? id : []))
  if (ids.length < targets.length) return {}
  return { shareable: true, changes: ids, reads: inputs.flatMap((input) => referredBy(action, input)) }
}

function sharingOfCreate(
  parts: readonly (Pick<Part, 'action' | 'inputs'> & Partial<Pick<ChildPart, 'list'>>)[],
): Partial<WriteOptions> {
  const changes: string[] = []
  const reads: string[] = []
  for (const { action, inputs, list } of parts) {
    const { resource, link } = action
    if (link !== null && isRuledLink(link.link)) return {}
    const holders = ruledHoldings(resource, null).map(({ relation }) => relation)
    for (const input of inputs) {
      if (input.keyed.length > 0) return {}
      reads.push(...referredBy(action, input))
      for (const { list: linked, ids } of input.lists.links)
        (isRuledLink((linked.relation as LinkRelation).link) ? changes : reads).push(...ids)
      for (const relation of holders) {
        // Its parent is new, too.
        if (relation === list?.relation.by) continue
        const id = input.fields[relation.field]
        if (id === undefined) return {}
        if (id !== null) changes.push(id as string)
      }
    }
  }
  return { shareable: true, changes, reads: reads.filter((id) => !changes.includes(id)) }
}

function mayOverlap({ action, inputs }: Pick<Part, 'action' | 'inputs'>): boolean {
  const { exclusions } = action.resource
  if (exclusions.length === 0) return false
  if (action.kind === 'create') return true
  const written = writtenFields(action, inputs)
  return written === null || exclusions.some(({ fields }) => [...written].some((field) => fields.has(field)))
}

const readsStored = ({ resource }: ActionModel, { fields }: ValidInput): boolean =>
  [...resource.relations.values()].some(
    (relation) =>
      relation.kind === 'one' && !(relation.field in fields) && relation.same.some((same) => same in fields),
  )

const fieldsWithIds = memoize(({ accept }: ActionModel) =>
  accept.filter(({ spec }) => spec.kind !== 'text').map(({ field }) => field),
)

/** Texts in embedded values may be ids. */
function referredBy(action: ActionModel, { fields }: ValidInput): readonly string[] {
  const ids: string[] = []
  for (const field of fieldsWithIds(action)) addTexts(fields[field], ids)
  return ids
}

function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const each of value) addTexts(each, texts)
  else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const each of Object.values(value)) addTexts(each, texts)
}
