// References by key in an input: `customer: { external_id: "42" }` instead of `customer_id`. (contract 11.2.12)

import { type Caller, requesterOf } from '../../resource/actor.ts'
import type { Column } from '../../resource/model/column.ts'
import {
  type KeyName,
  keysOfRelation,
  keyValues,
  leftOutTenant,
  ownColumns,
  ownTenant,
  type ReferenceKey,
  referenceKeys,
} from '../../resource/model/key.ts'
import type { Accepted, AcceptedList, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { KeyedReference } from '../valid-input.ts'

interface ByKey {
  /** The client's name of the reference by key. */
  readonly name: string
  readonly target: ResourceModel
  readonly keys: readonly ReferenceKey[]
}
export interface KeyedField extends ByKey {
  readonly accepted: Accepted
}

/** By field. */
export function keyedFields(action: ActionModel, names: Vocabulary): ReadonlyMap<string, KeyedField> {
  const all = action.sent.map((each) => keyedField(action, each, names)).filter((each) => each !== null)
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

/** Null if its elements cannot be named by key: `tags: [{ name: 'x' }]` in place of `tag_ids`. (contract 13.1.25) */
export function keyedList(
  action: Pick<ActionModel, 'resource' | 'kind'>,
  { relation }: AcceptedList,
  names: Pick<Vocabulary, 'list' | 'record'>,
): ByKey | null {
  if (relation.kind !== 'manyToMany') return null
  const keys = keysOfRelation(action, relation)
  const name = names.record(action.resource, relation.field)
  return keys.length === 0 || name === names.list(action.resource, relation)
    ? null
    : { name, target: relation.target, keys }
}

export interface KeyReading {
  readonly names: Vocabulary
  readonly actor: Caller
}

/** Null if there is a problem. */
export function readKeyed(
  { accepted, ...byKey }: KeyedField,
  value: unknown,
  reading: KeyReading,
  problem: (field: string, message: string) => void,
): KeyedReference | null {
  const name = readKey(byKey, value, byKey.name, reading, problem)
  return name === null ? null : { field: accepted.field, path: byKey.name, target: byKey.target, name }
}

/** Null if there is a problem, which is reported at its place. */
export function readKey(
  { target, keys }: ByKey,
  value: unknown,
  path: string,
  { names, actor }: KeyReading,
  problem: (field: string, message: string) => void,
): KeyName | null {
  const report = (message: string): null => {
    problem(path, message)
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return report('Must be an object.')
  const sent = value as Readonly<Record<string, unknown>>
  const members = Object.keys(sent).filter((each) => sent[each] !== undefined)
  const nameOf = (column: { readonly field: string }) => names.name(target, column.field)
  const isSent = (column: Column) => members.includes(nameOf(column))
  const isMeant = (key: ReferenceKey): boolean => {
    const own = ownColumns(key)
    return own.filter(isSent).length === members.length && own.every((column) => column === key.named || isSent(column))
  }
  const key = keys.find(isMeant)
  if (key === undefined)
    return report(
      `Must have ${keys.map((each) => ownColumns(each).map(nameOf).join(', ')).join('; or ')}, and nothing else.`,
    )
  const own = ownColumns(key)
  const { named } = key
  const isLeftOut = named !== undefined && !isSent(named)
  const tenant = isLeftOut ? ownTenant(target, { tenant: named }, requesterOf(actor)) : null
  if (isLeftOut && tenant === null) problem(`${path}.${nameOf(named)}`, leftOutTenant)
  if (isLeftOut && tenant === null) return null
  const name = {
    key: { ...key, columns: own },
    sent: own.map((column) => (isLeftOut && column === named ? tenant : sent[nameOf(column)])),
    names: own.map((column) => `${path}.${nameOf(column)}`),
  }
  const values = keyValues(name, (at, message) => problem(`${path}.${nameOf(own[at]!)}`, message))
  return values === null ? null : { ...name, key }
}
