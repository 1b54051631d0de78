// Translates an operation's tree to the selections, parts and list slots of read plans.

import { type GraphQLEnumType, type GraphQLOutputType, getNamedType, isEnumType } from 'graphql'
import { memoize } from '../../cache/memoize.ts'
import type {
  CanPart,
  ConnectionPart,
  EdgePart,
  GroupPart,
  GroupValuePart,
  ListParts,
  ListShape,
  PageInfoPart,
  Part,
  PreviousPart,
  Selection,
  ValueShape,
} from '../../read-plan/selection.ts'
import type { Measurement } from '../../read-plan/summary.ts'
import type { ResourceModel, SortModel } from '../../resource/model/model.ts'
import type { RecordMeaning, SummaryMeaning } from '../schema/meaning.ts'
import type { Branch, TreeField } from './tree.ts'

/** Builds the selections of one root; `lists` are the operation's lists in slot order. */
export class SelectionBuilder {
  readonly lists: number[] = []
  readonly #shapes: readonly ListShape[]

  constructor(shapes: readonly ListShape[]) {
    this.#shapes = shapes
  }

  /** `isWritten`: it may be new, and then shows its tokens. */
  record(resource: ResourceModel, { type, fields }: Branch, isWritten = false): Selection {
    const parts = fields.flatMap((each) =>
      each.meaning?.is === 'either' ? this.#either(each, each.meaning) : this.#part(each, type.name, isWritten),
    )
    return { resource, parts, hidden: 'refuse' }
  }

  /** A record with previous values. */
  change(resource: ResourceModel, { type, fields }: Branch): Selection {
    const parts = fields.map(({ key, meaning, below }): Part => {
      if (meaning?.is === 'self') return { kind: 'self', key, of: this.record(resource, below[0]!) }
      if (meaning?.is === 'previous') return { kind: 'previous', key, parts: previousParts(below[0]!) }
      return typename(key, type.name)
    })
    return { resource, parts, hidden: 'refuse' }
  }

  #either({ key, below }: TreeField, { field, branches }: Extract<RecordMeaning, { is: 'either' }>): readonly Part[] {
    const either = { field: field.name, branches }
    return branches.map((relation): Part => {
      const branch = below.find(({ type }) => type.name === relation.target.graphql.name)!
      const of = this.record(relation.target, branch)
      return { kind: 'one', key, relation, either, of, nullable: field.nullable }
    })
  }

  #part({ key, field: { type }, meaning, below, list }: TreeField, holder: string, isWritten: boolean): Part {
    switch (meaning?.is) {
      case 'field': {
        const { name: field, nullable } = meaning.field
        return { kind: 'field', key, field, nullable, ...shapeOf(type, below) }
      }
      case 'one': {
        const { relation, nullable } = meaning
        return { kind: 'one', key, relation, of: this.record(relation.target, below[0]!), nullable }
      }
      case 'list': {
        const { relation } = meaning
        const slot = this.lists.push(list) - 1
        const of = this.record(relation.target, below[0]!)
        return { kind: 'list', key, relation, list: this.#shapes[list]!, slot, of, nullable: false }
      }
      case 'can':
        return { kind: 'can', key, parts: below[0]!.fields.map((each) => canPart(each, below[0]!.type.name)) }
      case 'token':
        return isWritten ? { kind: 'token', key, field: meaning.column.field } : { kind: 'constant', key, json: 'null' }
      default:
        return typename(key, holder)
    }
  }
}

/** `elementOf` translates what is selected of each record or group. */
export function connectionParts<Of>({ type, fields }: Branch, elementOf: (branch: Branch) => Of): ListParts<Of> {
  const edgePart = ({ key, meaning, below }: TreeField, edge: string): EdgePart<Of> => {
    if (meaning === undefined) return typename(key, edge)
    return meaning.is === 'node' ? { kind: 'node', key, of: elementOf(below[0]!) } : { kind: 'cursor', key }
  }
  const parts = fields.map(({ key, meaning, below }): ConnectionPart<Of> => {
    switch (meaning?.is) {
      case undefined:
        return typename(key, type.name)
      case 'edges':
        return { kind: 'edges', key, parts: below[0]!.fields.map((each) => edgePart(each, below[0]!.type.name)) }
      case 'nodes':
        return { kind: 'nodes', key, of: elementOf(below[0]!) }
      case 'pageInfo':
        return { kind: 'pageInfo', key, parts: pageInfo(below[0]!) }
      default:
        return { kind: 'totalCount', key }
    }
  })
  return { as: 'connection', parts }
}

export const groupParts = ({ type, fields }: Branch): readonly GroupPart[] =>
  fields.map(({ key, field, meaning, below }): GroupPart => {
    if (meaning === undefined) return typename(key, type.name)
    const { is, path } = meaning as SummaryMeaning & { readonly path: SortModel }
    if (is === 'count') return { kind: is, key }
    if (is === 'group') return { kind: is, key, path, ...shapeOf(field.type, below) }
    const [{ type: of, fields: values }] = below as [Branch]
    return { kind: is as Measurement | 'distinct', key, parts: values.map((each) => groupValue(each, of.name)) }
  })

const groupValue = ({ key, meaning }: TreeField, type: string): GroupValuePart =>
  meaning === undefined
    ? { key, path: null, json: JSON.stringify(type) }
    : { key, path: (meaning as { readonly path: SortModel }).path }

const previousParts = ({ type, fields }: Branch): readonly PreviousPart[] =>
  fields.map(({ key, field, meaning, below }) =>
    meaning?.is === 'field'
      ? { key, field: meaning.field.name, ...shapeOf(field.type, below) }
      : { key, field: null, json: JSON.stringify(type.name) },
  )

const canPart = ({ key, meaning }: TreeField, type: string): CanPart =>
  meaning?.is === 'mayBegin' ? { key, action: meaning.action } : { key, action: null, json: JSON.stringify(type) }

const typename = (key: string, type: string) => ({ kind: 'constant', key, json: JSON.stringify(type) }) as const

function pageInfo({ type, fields }: Branch): readonly PageInfoPart[] {
  return fields.map(({ key, meaning }) =>
    meaning === undefined
      ? typename(key, type.name)
      : { kind: meaning.is as Exclude<PageInfoPart['kind'], 'constant'>, key },
  )
}

/** Of an object, its parts; of an enum, the names of values that are no names in GraphQL. */
function shapeOf(type: GraphQLOutputType, below: readonly Branch[]): { readonly shape?: ValueShape } {
  if (below.length > 0) return { shape: objectShape(below[0]!) }
  const named = getNamedType(type)
  if (!isEnumType(named)) return {}
  const words = wordsOf(named)
  return words === null ? {} : { shape: { words } }
}
const wordsOf = memoize((type: GraphQLEnumType): ReadonlyMap<string, string> | null => {
  const others = type.getValues().filter(({ name, value }) => name !== value)
  return others.length === 0 ? null : new Map(others.map(({ name, value }) => [value as string, name]))
})

export function objectShape({ type, fields }: Branch): ValueShape {
  const parts = fields.map(({ key, field, meaning, below }) =>
    meaning?.is === 'part'
      ? { key, part: meaning.part, ...shapeOf(field.type, below) }
      : { key, part: null, constant: type.name },
  )
  return { parts }
}
