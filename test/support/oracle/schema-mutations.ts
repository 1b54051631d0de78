// Small changes of a GraphQL schema, as its authors make them: some break clients, some do not.

import fc from 'fast-check'
import { type DocumentNode, Kind, parse, print, type TypeDefinitionNode, visit } from 'graphql'
import type { Loose } from '../check/loose.ts'

/** Where a change is made is found by this number, whatever the schema. */
export interface Mutation {
  readonly kind: keyof typeof kinds
  readonly at: number
}

/** One of the nodes that a change is for, by its number; the document is as it was where there is none. */
function changed<K extends Kind>(
  document: DocumentNode,
  kind: K,
  at: number,
  change: (node: Loose) => Loose | null,
  isMeant: (node: Loose) => boolean = () => true,
): DocumentNode {
  const nodes: unknown[] = []
  visit(document, { [kind]: (node: Loose) => void (isMeant(node) && nodes.push(node)) })
  const chosen = nodes[at % Math.max(nodes.length, 1)]
  return visit(document, { [kind]: (node: Loose) => (node === chosen ? change(node) : undefined) })
}
const definitionOf = (text: string): TypeDefinitionNode => parse(text).definitions[0] as TypeDefinitionNode
const fieldOf = (text: string) => (definitionOf(`type T { ${text} }`) as Loose).fields[0]
const inputFieldOf = (text: string) => (definitionOf(`input T { ${text} }`) as Loose).fields[0]
const without = (nodes: readonly unknown[], at: number) => nodes.filter((_, index) => index !== at % nodes.length)
const isNeeded = ({ type }: Loose) => type.kind === Kind.NON_NULL_TYPE
const freer = (node: Loose) => ({
  ...node,
  type: isNeeded(node) ? node.type.type : { kind: Kind.NON_NULL_TYPE, type: node.type },
})

const kinds = {
  'remove a field': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.OBJECT_TYPE_DEFINITION,
      at,
      (node) => ({ ...node, fields: without(node.fields, at) }),
      ({ fields }) => fields.length > 1,
    ),
  'add a field': (d: DocumentNode, at: number) =>
    changed(d, Kind.OBJECT_TYPE_DEFINITION, at, (node) => ({
      ...node,
      fields: [...node.fields, fieldOf('added: String')],
    })),
  'turn a null of a field': (d: DocumentNode, at: number) => changed(d, Kind.FIELD_DEFINITION, at, freer),
  'change a field to a list': (d: DocumentNode, at: number) =>
    changed(d, Kind.FIELD_DEFINITION, at, (node) => ({ ...node, type: { kind: Kind.LIST_TYPE, type: node.type } })),
  'deprecate a field': (d: DocumentNode, at: number) =>
    changed(d, Kind.FIELD_DEFINITION, at, (node) => ({
      ...node,
      directives: fieldOf('a: Int @deprecated(reason: "Why.")').directives,
    })),
  'remove an argument': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.FIELD_DEFINITION,
      at,
      (node) => ({ ...node, arguments: without(node.arguments, at) }),
      (node) => (node.arguments ?? []).length > 0,
    ),
  'add an argument': (d: DocumentNode, at: number) =>
    changed(d, Kind.FIELD_DEFINITION, at, (node) => ({
      ...node,
      arguments: [...(node.arguments ?? []), ...fieldOf('f(added: Int): Int').arguments],
    })),
  'demand an argument': (d: DocumentNode, at: number) =>
    changed(d, Kind.FIELD_DEFINITION, at, (node) => ({
      ...node,
      arguments: [...(node.arguments ?? []), ...fieldOf('f(demanded: Int!): Int').arguments],
    })),
  'turn a null of an input': (d: DocumentNode, at: number) => changed(d, Kind.INPUT_VALUE_DEFINITION, at, freer),
  'change a default': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.INPUT_VALUE_DEFINITION,
      at,
      (node) => ({ ...node, defaultValue: { kind: Kind.INT, value: String(at) } }),
      (node) => node.defaultValue !== undefined,
    ),
  'remove an input': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.INPUT_OBJECT_TYPE_DEFINITION,
      at,
      (node) => ({ ...node, fields: without(node.fields, at) }),
      ({ fields }) => fields.length > 1,
    ),
  'add an input': (d: DocumentNode, at: number) =>
    changed(d, Kind.INPUT_OBJECT_TYPE_DEFINITION, at, (node) => ({
      ...node,
      fields: [...node.fields, inputFieldOf('added: Int')],
    })),
  'demand an input': (d: DocumentNode, at: number) =>
    changed(d, Kind.INPUT_OBJECT_TYPE_DEFINITION, at, (node) => ({
      ...node,
      fields: [...node.fields, inputFieldOf('demanded: Int!')],
    })),
  'remove a value': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.ENUM_TYPE_DEFINITION,
      at,
      (node) => ({ ...node, values: without(node.values, at) }),
      ({ values }) => values.length > 1,
    ),
  'add a value': (d: DocumentNode, at: number) =>
    changed(d, Kind.ENUM_TYPE_DEFINITION, at, (node) => ({
      ...node,
      values: [...node.values, { kind: Kind.ENUM_VALUE_DEFINITION, name: { kind: Kind.NAME, value: 'ADDED' } }],
    })),
  'remove a union member': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.UNION_TYPE_DEFINITION,
      at,
      (node) => ({ ...node, types: without(node.types, at) }),
      ({ types }) => types.length > 1,
    ),
  'remove an interface': (d: DocumentNode, at: number) =>
    changed(
      d,
      Kind.OBJECT_TYPE_DEFINITION,
      at,
      (node) => ({ ...node, interfaces: [] }),
      ({ interfaces }) => (interfaces ?? []).length > 0,
    ),
  'describe a field': (d: DocumentNode, at: number) =>
    changed(d, Kind.FIELD_DEFINITION, at, (node) => ({ ...node, description: { kind: Kind.STRING, value: 'Told.' } })),
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as Mutation['kind'][])),
  at: fc.nat(10_000),
})

/** The schema after these changes, one after the other. */
export const mutate = (schema: string, mutations: readonly Mutation[]): string =>
  print(mutations.reduce((document, { kind, at }) => kinds[kind](document, at), parse(schema)))
