// The fields of an operation as a tree, every repetition written out. Made only of what is within the limits.

import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql'
import type { SummaryParts } from '../../action/summary-request.ts'
import type { LinkRelation, ManyRelation, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { type Meaning, meaningOf } from '../schema/meaning.ts'
import { type FieldCollector, isIntrospection, type ResponseField, typesOf } from './field-collector.ts'
import { summaryParts } from './summary.ts'

export interface TreeField {
  readonly key: string
  readonly field: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
  /** Undefined for `__typename` and introspection. */
  readonly meaning: Meaning | undefined
  /** What is asked of the value, for each type that it may have. */
  readonly below: readonly Branch[]
  /** For a paged list: which of the operation's lists this is. */
  readonly list: number
}
export interface Branch {
  readonly type: GraphQLObjectType
  readonly fields: readonly TreeField[]
}

/** A paged list in the tree: where its arguments stand, and what it lists. */
export interface ListSite {
  readonly node: FieldNode
  /** Which of the operation's own fields it is, or stands below. */
  readonly root: number
  readonly field: GraphQLField<unknown, unknown>
  readonly resource: ResourceModel
  /** `none` for what a condition says is written, of which no record is answered. */
  readonly pages: 'connection' | 'offset' | 'summary' | 'none'
  readonly query?: QueryModel | undefined
  /** Of a summary: what is asked of each group. */
  readonly parts?: SummaryParts
}

export interface Tree {
  readonly roots: readonly TreeField[]
  /** In the document's order. */
  readonly lists: readonly ListSite[]
  /** Of every record in it. */
  readonly resources: ReadonlySet<ResourceModel>
  /** False where a query in it means other records to others. */
  readonly isPublic: boolean
  /** Whether it asks what the reader may do with a record. */
  readonly tellsCan: boolean
  /** How many fields it has, for reckoning its memory. */
  readonly size: number
}

export function makeTree(collector: FieldCollector, byName: ReadonlyMap<string, ResourceModel>): Tree {
  const lists: ListSite[] = []
  const resources = new Set<ResourceModel>()
  let size = 0
  let root = 0
  let isPublic = true
  let tellsCan = false
  const grow = ({ key, field, nodes, below }: ResponseField): TreeField => {
    size++
    const meaning = meaningOf(field)
    if (meaning?.is === 'can') tellsCan = true
    const site = siteOf(meaning, nodes[0]!, root, field)
    const list = site === null ? -1 : lists.push(site) - 1
    if (site !== null) resources.add(site.resource)
    if (site?.query?.isPublic === false) isPublic = false
    const types = isIntrospection(field) ? [] : typesOf(field, collector.schema)
    const branches = types.map((type) => {
      const resource = byName.get(type.name)
      if (resource !== undefined) resources.add(resource)
      return { type, fields: collector.of(type, below).map(grow) }
    })
    if (site?.pages === 'summary') lists[list] = { ...site, parts: summaryParts(branches[0]!) }
    return { key, field, nodes, meaning, below: branches, list }
  }
  const roots = collector.roots().map((field, index) => {
    root = index
    return grow(field)
  })
  return { roots, lists, resources, isPublic, tellsCan, size }
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
      return { node, root, field, resource: targetOf(meaning.relation), pages: 'offset' }
    default:
      return null
  }
}

const targetOf = ({ target }: ManyRelation | LinkRelation): ResourceModel => target

/**
 * How many records the paged lists among these fields could read, for so many parents: parents times page size, summed.
 * A connection counts once, whether by edges, by nodes or both; of several possible types the dearest counts. (contract 8.2.3, 8.2.4)
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
