// What can be done by a key: whether PUT at its address creates or replaces, and what a name in it means.

import type { Problem } from '../field/field.ts'
import { kindOf } from '../field/registry.ts'
import { capitalised } from '../naming/casing.ts'
import type { ActionModel, KeyModel, ResourceModel } from './model.ts'

/** A record named by one of its keys, as a client did. */
export interface KeyName {
  readonly key: KeyModel
  /** A value as JSON has it for each column of the key, not yet checked. */
  readonly sent: readonly unknown[]
}

/** The create and the update of an upsert; null where clients have not both, or cannot send the key to create. */
export function upsertActions(
  { actions }: ResourceModel,
  { columns }: KeyModel,
): { readonly create: ActionModel; readonly update: ActionModel } | null {
  const [create, update] = ['create', 'update'].map((name) => actions.get(name))
  if (create === undefined || update === undefined || create.allow.rule === 'nobody' || update.allow.rule === 'nobody')
    return null
  return columns.every((column) => create.accept.some((each) => each.column === column)) ? { create, update } : null
}

/** Whether a record can be created or replaced by any key. */
export const hasUpsert = (resource: ResourceModel): boolean =>
  resource.keys.some((key) => upsertActions(resource, key) !== null)

/** `ExternalId`, `RegionAndCode`. */
export const keyTitle = ({ columns }: KeyModel): string => columns.map(({ field }) => capitalised(field)).join('And')

/** The values as a record holds them; null where there is a problem, which is told with the place of its column. */
export function keyValues(
  { key, sent }: KeyName,
  problem: (column: number, message: string) => void = () => {},
): readonly unknown[] | null {
  let fits = true
  const values = key.columns.map(({ spec }, at) => {
    const tell: Problem = (_, message) => {
      fits = false
      problem(at, message)
    }
    return sent[at] === null ? tell('', 'Must not be null.') : kindOf(spec).check(spec, sent[at], tell, (part) => part)
  })
  return fits ? values : null
}
