// An operation as a tree without fragments. Made only within the limits, as it repeats shared fragments.

import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql'
import type { LinkRelation, ManyRelation, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import type { ErrorEntry } from '../error.ts'
import { type Meaning, meaningOf } from '../schema/meaning.ts'
import { type FieldCollector, isIntrospection, type ResponseField, typesOf } from './field-collector.ts'

export interface TreeField {
  readonly key: string
  readonly field: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
  readonly meaning: Meaning | undefined
  readonly below: readonly Branch[]
  /** For a paged list, its index in the operation. */
  readonly list: number
}
export interface Branch {
  readonly type: GraphQLObjectType
  readonly fields: readonly TreeField[]
}

export interface ListSite {
  readonly node: FieldNode
  readonly root: number
  readonly field: GraphQLField<unknown, unknown>
  readonly resource: ResourceModel
  /** `none`: a write by condition, which returns no records. */
  readonly pages: 'connection' | 'offset' | 'summary' | 'none'
  readonly query?: QueryModel | undefined
  readonly of?: ManyRelation | LinkRelation
  readonly selected?: Branch
}

export interface Tree {
  readonly roots: readonly TreeField[]
  readonly lists: readonly ListSite[]
  readonly resources: ReadonlySet<ResourceModel>
  readonly isPublic: boolean
  readonly hasCan: boolean
  readonly hasRoute: boolean
  readonly size: number
}

export function makeTree(collector: FieldCollector, byGraphqlName: ReadonlyMap<string, ResourceModel>): Tree {
  const lists: ListSite[] = []
  const resources = new Set<ResourceModel>()
  let size = 0
  let root = 0
  let isPublic = true
  let hasCan = false
  let hasRoute = false
  const grow = ({ key, field, nodes, below }: ResponseField): TreeField => {
    size++
    const meaning = meaningOf(field)
    if (meaning?.is === 'can') hasCan = true
    if (meaning?.is === 'route') hasRoute = true
    const site = siteOf(meaning, nodes[0]!, root, field)
    const list = site === null ? -1 : lists.push(site) - 1
    if (site !== null) resources.add(site.resource)
    if (site?.query?.isPublic === false) isPublic = false
    const types = isIntrospection(field) ? [] : typesOf(field, collector.schema)
    const branches = types.map((type) => {
      const resource = byGraphqlName.get(type.name)
      if (resource !== undefined) resources.add(resource)
      return { type, fields: collector.of(type, below).map(grow) }
    })
    if (site?.pages === 'summary') lists[list] = { ...site, selected: branches[0]! }
    return { key, field, nodes, meaning, below: branches, list }
  }
  const roots = collector.roots().map((field, index) => {
    root = index
    return grow(field)
  })
  return { roots, lists, resources, isPublic, hasCan, hasRoute, size }
}

function siteOf(
  meaning: Meaning | undefined,
  node: FieldNode,
  root: number,
  field: GraphQLField<unknown, unknown>,
): ListSite | null {
  switch (meaning?.is) {
    case 'connection':
      return { node, root, field, resource: meaning.resource, pages: 'connection', query: meaning.query }
    case 'summary':
      return { node, root, field, resource: meaning.resource, pages: 'summary' }
    case 'array':
      return { node, root, field, resource: meaning.resource, pages: 'offset', query: meaning.query }
    case 'write':
      return meaning.targets === 'bulk' ? { node, root, field, resource: meaning.action.resource, pages: 'none' } : null
    case 'list':
      return { node, root, field, resource: targetOf(meaning.relation), pages: 'offset', of: meaning.relation }
    default:
      return null
  }
}

const targetOf = ({ target }: ManyRelation | LinkRelation): ResourceModel => target

/**
 * Parents × page size, summed. A connection counts once for its edges and nodes; of several types the most expensive counts.
 * (contract 8.2.3, 8.2.4)
 */
export function nodesOf(fields: readonly TreeField[], parents: number, sizes: readonly number[]): number {
  let nodes = 0
  for (const { list, below } of fields) {
    const each = list === -1 ? parents : parents * sizes[list]!
    if (list !== -1) nodes += each
    nodes += Math.max(0, ...below.map((branch) => nodesOf(branch.fields, each, sizes)))
  }
  return nodes
}

type Locations = Required<Pick<ErrorEntry, 'locations'>>

export const locationsOf = (nodes: readonly FieldNode[]): Locations => ({
  locations: nodes.map(({ loc }) => ({ line: loc!.startToken.line, column: loc!.startToken.column })),
})

/** The document's nodes for this path below a field. */
export function locationsAt(field: TreeField, path: readonly (string | number)[]): Locations {
  let deepest = field
  for (const key of path) {
    if (typeof key === 'number') continue
    const below = deepest.below.flatMap((branch) => branch.fields).find((each) => each.key === key)
    if (below === undefined) break
    deepest = below
  }
  return locationsOf(deepest.nodes)
}
