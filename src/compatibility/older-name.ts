// The parts of a GraphQL schema, and those that leave it together with a deprecated name, whose uses decide when it may. (contract
// 9.3.2)

import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

/** A type, a value of it, a field or an argument. */
export interface Part extends Omit<Described, 'type'> {
  /** The type of a field, the field of an argument; empty for a type. */
  readonly holder: string
  readonly coordinate: string
  /** Null for a type or a value. */
  readonly type: string | null
}
interface Described {
  readonly name: string
  readonly description?: string | null | undefined
  readonly deprecationReason?: string | null | undefined
  readonly type?: GraphQLType
}

/** The only deprecated part that used the type; null if others used it. */
export function usedByDeprecated(type: string, before: GraphQLSchema, after: GraphQLSchema): string | null {
  const parts = partsOf(before)
  const users = (of: string, visitedTypes: ReadonlySet<string>): readonly (Part | null)[] =>
    parts
      .filter((each) => each.type === of && !visitedTypes.has(each.holder))
      .flatMap((part) => {
        if (part.deprecationReason != null) return [part]
        // The holder itself may have been used by a deprecated part only.
        const isGone = after.getType(part.holder) === undefined
        return isGone ? users(part.holder, new Set([...visitedTypes, of])) : [null]
      })
  const all = users(type, new Set([type]))
  return all.length === 0 || all.includes(null) ? null : all[0]!.coordinate
}

/** The removed older name whose successor is required since; null if there is another reason. */
export function neededWithout(coordinate: string, before: GraphQLSchema, after: GraphQLSchema): string | null {
  const parts = partsOf(before)
  const successor = parts.find((each) => each.coordinate === coordinate)
  if (successor === undefined) return null
  const rest = new Set(partsOf(after).map((each) => each.coordinate))
  const older = parts.find(
    ({ holder, coordinate, deprecationReason }) =>
      holder === successor.holder && deprecationReason === `Use ${successor.name}.` && !rest.has(coordinate),
  )
  return older?.coordinate ?? null
}

/** Those of introspection are left out. */
export function partsOf(schema: GraphQLSchema): readonly Part[] {
  return Object.values(schema.getTypeMap()).flatMap((type): readonly Part[] => {
    const { name } = type
    if (name.startsWith('__')) return []
    const own = part('', name, type)
    if (isEnumType(type)) return [own, ...type.getValues().map((value) => part(name, `${name}.${value.name}`, value))]
    if (!isInputObjectType(type) && !isObjectType(type) && !isInterfaceType(type)) return [own]
    const fields = Object.values<GraphQLInputField | GraphQLField<unknown, unknown>>(type.getFields())
    return [own, ...fields.flatMap((field) => fieldParts(name, field))]
  })
}

function fieldParts(holder: string, field: GraphQLInputField | GraphQLField<unknown, unknown>): readonly Part[] {
  const place = `${holder}.${field.name}`
  const args = 'args' in field ? field.args : []
  return [part(holder, place, field), ...args.map((each) => part(place, `${place}(${each.name}:)`, each))]
}

const part = (holder: string, coordinate: string, of: Described): Part => ({
  holder,
  coordinate,
  name: of.name,
  type: of.type === undefined ? null : getNamedType(of.type).name,
  description: of.description,
  deprecationReason: of.deprecationReason,
})
