// References by key in an input: `customer: { external_id: "42" }` instead of `customer_id`. (contract 11.2.12)

import type { KeyModel } from '../../resource/model/column.ts'
import { keyValues, ownColumns, referenceKeys } from '../../resource/model/key.ts'
import type { Accepted, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { KeyedReference } from '../valid-input.ts'

export interface KeyedField {
  readonly accepted: Accepted
  /** The client's name of the reference by key. */
  readonly name: string
  readonly target: ResourceModel
  readonly keys: readonly KeyModel[]
}
export const noKeyed: readonly KeyedReference[] = []

/** By field. */
export function keyedFields(action: ActionModel, names: Vocabulary): ReadonlyMap<string, KeyedField> {
  const all = action.accept.map((each) => keyedField(action, each, names)).filter((each) => each !== null)
  return new Map(all.map((each) => [each.accepted.field, each]))
}

/** Null if the field cannot be named by key. */
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
  // Code uses ids only.
  if (name === names.name(resource, field)) return null
  return { accepted, name, target: resource.relations.get(field)!.target, keys }
}

/** Null if there is a problem. */
export function readKeyed(
  { accepted, name: path, target, keys }: KeyedField,
  value: unknown,
  names: Vocabulary,
  problem: (field: string, message: string) => void,
): KeyedReference | null {
  const report = (message: string): null => {
    problem(path, message)
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return report('Must be an object.')
  const sent = value as Readonly<Record<string, unknown>>
  const members = Object.keys(sent).filter((each) => sent[each] !== undefined)
  const nameOf = (column: { readonly field: string }) => names.name(target, column.field)
  const isMeant = (key: KeyModel): boolean => {
    const own = ownColumns(key)
    return own.length === members.length && own.every((column) => members.includes(nameOf(column)))
  }
  const key = keys.find(isMeant)
  if (key === undefined)
    return report(
      `Must have ${keys.map((each) => ownColumns(each).map(nameOf).join(', ')).join('; or ')}, and nothing else.`,
    )
  const own = ownColumns(key)
  const name = {
    key: { ...key, columns: own },
    sent: own.map((column) => sent[nameOf(column)]),
    names: own.map((column) => `${path}.${nameOf(column)}`),
  }
  const values = keyValues(name, (at, message) => problem(`${path}.${nameOf(own[at]!)}`, message))
  return values === null ? null : { field: accepted.field, path, target, name: { ...name, key } }
}
