// Random GraphQL operations for any schema: selections of a few levels, lists with arguments, inputs of the right type.

import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { codeHeader, type Material, type Request } from './material.ts'
import { countedResource, type MakeRequest } from './requests.ts'

export function graphqlRequests(schema: GraphQLSchema): MakeRequest {
  return (material) => {
    const { random } = material
    const leaving = random.chance(0.25) ? leavingScopes(schema, material) : null
    if (leaving !== null) return leaving
    const isMutation = random.chance(0.25) && schema.getMutationType() != null
    const root = isMutation ? schema.getMutationType()! : schema.getQueryType()!
    const fields = Object.values(root.getFields()).filter(
      ({ name, type }) => !isLeftOut(name, String(getNamedType(type))),
    )
    const asking = isMutation ? [] : fields.filter(({ args }) => args.some(({ name }) => questionNames.has(name)))
    const isAsked = asking.length > 0 && random.chance(0.4)
    const chosen = Array.from({ length: isAsked ? 1 : 1 + random.below(3) }, () =>
      random.one(isAsked ? asking : fields),
    )
    // What a webhook is sent of the other writes of its request depends on how soon it is sent.
    const alone = isMutation ? chosen.find(({ name }) => /webhook/i.test(name)) : undefined
    const parts = (alone === undefined ? chosen : [alone]).map((field, index) => {
      return `a${index}: ${field.name}${argumentsOf(field, material)}${below(schema, getNamedType(field.type), 3, material)}`
    })
    return {
      line: 'POST /graphql',
      headers: codeHeader(material),
      body: { query: `${isMutation ? 'mutation' : 'query'} { ${parts.join(' ')} }` },
    }
  }
}

/** A read inside the scopes of a narrow key with relations that lead out of them; null for other callers. */
function leavingScopes(schema: GraphQLSchema, material: Material): Request | null {
  const { random, outOfScope } = material
  if (outOfScope.size === 0) return null
  const recordOf = ({ type }: Asking): GraphQLObjectType => {
    const named = getNamedType(type) as GraphQLObjectType
    const { nodes } = isObjectType(named) ? named.getFields() : {}
    return nodes === undefined ? named : (getNamedType(nodes.type) as GraphQLObjectType)
  }
  const leading = (of: GraphQLObjectType) =>
    isObjectType(of) ? Object.values(of.getFields()).filter((each) => outOfScope.has(recordOf(each).name)) : []
  const roots = Object.values(schema.getQueryType()!.getFields()).filter(
    (each) =>
      !isLeftOut(each.name, recordOf(each).name) &&
      !outOfScope.has(recordOf(each).name) &&
      leading(recordOf(each)).length > 0,
  )
  if (roots.length === 0) return null
  const root = random.one(roots)
  const parts = random.some(leading(recordOf(root)), 3).map((field, index) => {
    const inner = below(schema, getNamedType(field.type), 2, material)
    return `x${index}: ${field.name}${argumentsOf(field, material)}${inner}`
  })
  const record = `{ __typename ${parts.join(' ')} }`
  const isList = getNamedType(root.type) !== recordOf(root)
  const query = `{ a: ${root.name}${argumentsOf(root, material)} ${isList ? `{ nodes ${record} }` : record} }`
  return { line: 'POST /graphql', headers: codeHeader(material), body: { query } }
}

const questionNames: ReadonlySet<string> = new Set(['where', 'search', 'groupBy'])

/** A key's secret is random, and is told. */
const isLeftOut = (name: string, type: string): boolean =>
  type.startsWith(countedResource) || (type.includes('ApiKey') && name.startsWith('create'))

function below(schema: GraphQLSchema, type: unknown, depth: number, material: Material): string {
  if (!isCompositeType(type as never)) return ''
  if (isAbstractType(type as never)) {
    const types = schema.getPossibleTypes(type as never)
    return ` { __typename ${types.map((each) => `... on ${each.name}${onlyScalars(each)}`).join(' ')} }`
  }
  const { random } = material
  const fields = Object.values((type as GraphQLObjectType).getFields()).filter(
    (field) => depth > 0 || !isCompositeType(getNamedType(field.type)),
  )
  const parts = random.some(fields, 5).map((field, index) => {
    const inner = below(schema, getNamedType(field.type), depth - 1, material)
    return `${field.name}_${index}: ${field.name}${argumentsOf(field, material)}${inner}`
  })
  return ` { __typename ${parts.join(' ')} }`
}

const onlyScalars = (type: GraphQLObjectType): string => {
  const names = Object.values(type.getFields()).filter(
    ({ type: of, args }) => !isCompositeType(getNamedType(of)) && args.length === 0,
  )
  return ` { ${names.map(({ name }) => `${type.name}_${name}: ${name}`).join(' ')} }`
}

function argumentsOf({ args, type }: Asking, material: Material): string {
  const { random } = material
  const isForward = random.chance(0.7)
  const texts = args.flatMap((arg) => {
    if (arg.name === 'after' || arg.name === 'before' || arg.name === (isForward ? 'last' : 'first')) return []
    if (arg.name === 'offset' && random.chance(0.7)) return []
    if (!isNonNullType(arg.type) && random.chance(0.6)) return []
    if (arg.name === 'whereText') return []
    const name = arg.name === 'id' ? String(getNamedType(type)) : arg.name
    return [`${arg.name}: ${literal(arg.type, name, material)}`]
  })
  return texts.length === 0 ? '' : `(${texts.join(', ')})`
}

function literal(type: GraphQLInputType, name: string, material: Material, depth = 0): string {
  const { random, ids, questions } = material
  const where = depth === 0 && name === 'where' ? questions.ofType(String(type)) : null
  if (where !== null) return literalOf(where, type)
  const idOf = name.replace(/^id$|Ids?$/, '').toLowerCase()
  if (isNonNullType(type)) return literal(type.ofType, name, material, depth)
  if (isListType(type)) return `[${literal(type.ofType, name, material, depth)}]`
  if (isEnumType(type)) return random.one(type.getValues()).name
  if (isInputObjectType(type)) {
    // Conditions stand inside conditions without an end.
    const chance = depth > 2 ? 0 : 0.4
    const fields = Object.values(type.getFields()).filter((each) => isNonNullType(each.type) || random.chance(chance))
    // The id of an element is one of what its list holds.
    const nameOf = ({ name: own }: { readonly name: string }) => (own === 'id' ? name : own)
    return `{ ${fields.map((each) => `${each.name}: ${literal(each.type, nameOf(each), material, depth + 1)}`).join(', ')} }`
  }
  switch (String(type)) {
    case 'Boolean':
      return `${random.chance(0.5)}`
    case 'Int':
      return `${1 + random.below(4)}`
    case 'Float':
      return `${random.below(4)}`
    case 'JSON':
      return '{ theme: "alpha" }'
    case 'ID': {
      const like = [...ids].filter(([of]) => idOf.startsWith(of.toLowerCase()))
      const memory = like.flatMap(([of]) => material.memory.get(of) ?? [])
      const pool = (like.length > 0 ? like : [...ids]).flatMap(([, each]) => each)
      return JSON.stringify(random.one(memory.length > 0 && random.chance(0.5) ? memory : pool))
    }
    default:
      if (name === 'timeZone') return '"Europe/Berlin"'
      if (name === 'search') return JSON.stringify(questions.words())
      if (/email/i.test(name)) return JSON.stringify(`fresh${++material.fresh}@example.com`)
      if (/At$|from|until|since|before|after/.test(name)) return '"2026-11-01T03:00:00.000Z"'
      return JSON.stringify(random.one(['alpha', 'Beta', 'gamma', 'EUR', 'EUR', 'none', 'https://example.com/1']))
  }
}

/** Such a value as it stands in a document. */
function literalOf(value: unknown, type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(value, type.ofType)
  if (Array.isArray(value))
    return `[${value.map((each) => literalOf(each, (type as GraphQLList<GraphQLInputType>).ofType)).join(', ')}]`
  if (isEnumType(type)) return String(value)
  if (!isInputObjectType(type)) return JSON.stringify(value)
  const fields = type.getFields()
  const entries = Object.entries(value as object)
  return `{ ${entries.map(([name, each]) => `${name}: ${literalOf(each, fields[name]!.type)}`).join(', ')} }`
}

type Asking = Pick<GraphQLField<unknown, unknown>, 'args' | 'type'>

/** Subscriptions to every event; those about one record, to some that are there or not. */
export function subscriptionsOf(schema: GraphQLSchema, material: Material): readonly string[] {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  return fields.flatMap((field) =>
    Array.from({ length: field.args.length === 0 ? 1 : 6 }, () => {
      const inner = below(schema, getNamedType(field.type), 2, material)
      return `subscription { ${field.name}${argumentsOf(field, material)}${inner} }`
    }),
  )
}
