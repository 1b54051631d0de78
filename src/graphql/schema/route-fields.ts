// Custom routes as fields of the root types. (contract 5.5.12)

import { GraphQLBoolean, type GraphQLFieldConfigArgumentMap, GraphQLNonNull } from 'graphql'
import { accessSentence } from '../../custom-route/access.ts'
import {
  graphqlFieldOf,
  limitSentences,
  objectOf,
  type RouteDefinition,
  type Specs,
} from '../../custom-route/definition.ts'
import { aboutPart } from '../../resource/about.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { initialValue } from '../../resource/field/registry.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised } from '../../resource/naming/casing.ts'
import { type Field, makeField } from './meaning.ts'
import { needed, partType, type ValueTypes } from './value-types.ts'

type RootFields = readonly [string, Field][]

/** A GET is a query, any other a mutation. Nullable, so that a failure leaves the rest of the answer. */
export function routeFields(
  routes: readonly RouteDefinition[],
  type: 'query' | 'mutation',
  values: ValueTypes,
  vocabulary: Vocabulary,
): RootFields {
  return routes.flatMap((route) => {
    const field = graphqlFieldOf(route)
    if (field === null || (route.method === 'GET') !== (type === 'query')) return []
    return [[field.name, routeField(route, capitalised(field.name), values.apart(), vocabulary)] as const]
  }) as RootFields
}

function routeField(route: RouteDefinition, name: string, values: ValueTypes, { part }: Vocabulary): Field {
  const { summary, description = `${summary}.`, access, params = {}, query = {}, body = {}, answer } = route
  const argument =
    (isNeeded: (spec: SpecBase) => boolean) =>
    ([field, spec]: readonly [string, SpecBase]) =>
      [
        part(field, spec),
        {
          type: needed(values.input(spec, partType(name, field)), isNeeded(spec)),
          description: aboutPart(field, spec),
        },
      ] as const
  const args: GraphQLFieldConfigArgumentMap = Object.fromEntries([
    ...Object.entries(params).map(argument(() => true)),
    ...Object.entries(query).map(argument(isRequired)),
  ])
  const input = Object.keys(body).length === 0 ? {} : { input: inputArgument(body, name, values) }
  const type = answer === undefined ? GraphQLBoolean : values.output(objectOf(answer as Specs), name, 'The result.')
  const about = [description, `Allowed: ${accessSentence(access)}.`, ...limitSentences(route)].join(' ')
  return makeField(type, about, { is: 'route', route }, { ...args, ...input })
}

function inputArgument(body: Specs, name: string, values: ValueTypes) {
  const type = values.input(objectOf(body), name, 'What it takes.')
  const isNeeded = Object.values(body).some(isRequired)
  return { type: isNeeded ? new GraphQLNonNull(type) : type, description: 'What it takes.' }
}

const isRequired = (spec: SpecBase): boolean => initialValue(spec) === undefined
