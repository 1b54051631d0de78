// Deprecations: the reason for clients, and the dates, for which SDL has no place. (contract 9.2.2)

import { type GraphQLSchema, isEnumType, isIntrospectionType } from 'graphql'
import type { Deprecating, Deprecation } from '../../resource/deprecation.ts'

interface Part {
  readonly extensions?: Readonly<Record<string | symbol, unknown>> | null | undefined
}

export const deprecated = <P extends object>(part: P, deprecation: Deprecation): P => ({
  ...part,
  deprecationReason: deprecation.use === null ? `Deprecated since ${deprecation.since}.` : `Use ${deprecation.use}.`,
  extensions: { ...(part as Part).extensions, deprecation },
})

/** Deprecated only if the definition says so. The sunset follows from its use, so there is none here. */
export const leaving = <P extends object>(part: P, deprecation: Deprecating | null | undefined): P =>
  deprecation === undefined || deprecation === null
    ? part
    : deprecated(part, { since: deprecation.since, sunset: null, use: deprecation.use ?? null })

export const deprecationOf = ({ extensions }: Part): Deprecation | undefined =>
  extensions?.['deprecation'] as Deprecation | undefined

/** By coordinate, such as `Comment.text` or `Query.posts(filter:)`. */
export function deprecationsIn(schema: GraphQLSchema): ReadonlyMap<string, Deprecation> {
  const deprecations = new Map<string, Deprecation>()
  const look = (place: string, part: Part) => {
    const deprecation = deprecationOf(part)
    if (deprecation !== undefined) deprecations.set(place, deprecation)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue
    if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value)
    if (!('getFields' in type)) continue
    for (const field of Object.values(type.getFields())) {
      look(`${type.name}.${field.name}`, field)
      for (const argument of 'args' in field ? field.args : [])
        look(`${type.name}.${field.name}(${argument.name}:)`, argument)
    }
  }
  return deprecations
}
