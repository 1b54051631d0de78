// Bodies with unknown members, which senders of webhooks add.

import { isObject, type Json } from '../json/json.ts'
import type { PartName, SpecBase } from '../resource/field/field.ts'
import type { Specs } from './definition.ts'
import type { Values } from './route.ts'

const mark: unique symbol = Symbol('open')

/** `body: open({ … })`: ignores members that it does not name, also in nested objects, instead of refusing them. */
export const open = <const F extends Values>(fields: F): F => Object.assign({ ...fields }, { [mark]: true })

export const isOpenBody = (fields: Specs): boolean => mark in fields

interface Spec extends SpecBase {
  readonly of?: Spec
  readonly fields?: Readonly<Record<string, Spec>>
}

/** Keeps the members that `fields` names, at any depth. A value of the wrong form stays unchanged. */
export function namedMembers(sent: Json, fields: Readonly<Record<string, Spec>>, partName: PartName): Json {
  if (!isObject(sent)) return sent
  const names = Object.entries(fields).map(([field, spec]) => [partName(field, spec), spec] as const)
  return Object.fromEntries(
    names.flatMap(([name, spec]) => (Object.hasOwn(sent, name) ? [[name, within(sent[name]!, spec, partName)]] : [])),
  )
}

function within(sent: Json, spec: Spec, partName: PartName): Json {
  if (spec.kind === 'list' && Array.isArray(sent)) return sent.map((each: Json) => within(each, spec.of!, partName))
  return spec.kind === 'object' ? namedMembers(sent, spec.fields!, partName) : sent
}
