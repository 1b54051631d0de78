// Finds what leaves a GraphQL schema together with a deprecated name, whose uses decide when it may. (contract 9.3.2)

import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

interface Part {
  readonly holder: string
  readonly coordinate: string
  readonly name: string
  readonly type: string
  readonly deprecationReason: string | null | undefined
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

function partsOf(schema: GraphQLSchema): readonly Part[] {
  return Object.values(schema.getTypeMap()).flatMap((type): readonly Part[] => {
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((each) => part(type.name, `${type.name}.${each.name}`, each))
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    return Object.values(type.getFields()).flatMap((field) => {
      const place = `${type.name}.${field.name}`
      const { name, deprecationReason } = field
      const output = {
        holder: type.name,
        coordinate: place,
        name,
        type: getNamedType(field.type).name,
        deprecationReason,
      }
      return [output, ...field.args.map((each) => part(place, `${place}(${each.name}:)`, each))]
    })
  })
}

const part = (holder: string, coordinate: string, of: GraphQLArgument | GraphQLInputField): Part => ({
  holder,
  coordinate,
  name: of.name,
  type: getNamedType(of.type).name,
  deprecationReason: of.deprecationReason,
})
