// Records that an input names by a key of theirs: `customer: { external_id: "42" }` in place of `customer_id`. (contract 11.2.12)

import type { KeyModel } from '../resource/model/column.ts'
import { type KeyName, keyValues, ownColumns, referenceKeys } from '../resource/model/key.ts'
import type { Accepted, ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** How an accepted relation is named by key. */
export interface KeyedField {
  readonly accepted: Accepted
  /** What clients call it, beside the name of its id. */
  readonly name: string
  readonly target: ResourceModel
  readonly keys: readonly KeyModel[]
}
/** A record that an input names by a key. */
export interface KeyedReference {
  readonly field: string
  /** What the client calls it. */
  readonly path: string
  readonly target: ResourceModel
  /** Without its tenant, which is that of the record. */
  readonly name: KeyName
}
export const noKeyed: readonly KeyedReference[] = []

/** The relations of an action's input that can be named by key, by field. */
export function keyedFields(action: ActionModel, names: Vocabulary): ReadonlyMap<string, KeyedField> {
  const all = action.accept.map((each) => keyedField(action, each, names)).filter((each) => each !== null)
  return new Map(all.map((each) => [each.accepted.field, each]))
}

/** How a field is named by key; null where it cannot be. */
export function keyedField(
  action: Pick<ActionModel, 'resource' | 'kind'>,
  accepted: Accepted,
  names: Pick<Vocabulary, 'name' | 'record'>,
): KeyedField | null {
  const { resource } = action
  const { field } = accepted
  const keys = referenceKeys(action, accepted)
  if (keys.length === 0) return null
  const name = names.record(resource, field)
  // Code speaks of ids alone.
  if (name === names.name(resource, field)) return null
  return { accepted, name, target: resource.relations.get(field)!.target, keys }
}

/** Reads a record that is named by a key; null where there is a problem. */
export function readKeyed(
  { accepted, name: path, target, keys }: KeyedField,
  value: unknown,
  names: Vocabulary,
  problem: (field: string, message: string) => void,
): KeyedReference | null {
  const tell = (message: string): null => {
    problem(path, message)
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return tell('Must be an object.')
  const sent = value as Readonly<Record<string, unknown>>
  const members = Object.keys(sent).filter((each) => sent[each] !== undefined)
  const nameOf = (column: { readonly field: string }) => names.name(target, column.field)
  const isMeant = (key: KeyModel): boolean => {
    const own = ownColumns(key)
    return own.length === members.length && own.every((column) => members.includes(nameOf(column)))
  }
  const key = keys.find(isMeant)
  if (key === undefined)
    return tell(
      `Must have ${keys.map((each) => ownColumns(each).map(nameOf).join(', ')).join('; or ')}, and nothing else.`,
    )
  const own = ownColumns(key)
  const name = { key: { ...key, columns: own }, sent: own.map((column) => sent[nameOf(column)]) }
  const values = keyValues(name, (at, message) => problem(`${path}.${nameOf(own[at]!)}`, message))
  return values === null ? null : { field: accepted.field, path, target, name: { key, sent: name.sent } }
}
