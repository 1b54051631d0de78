// From the tree of an operation to what the read plans know: selections, parts, slots for lists.

import type {
  CanPart,
  ConnectionPart,
  EdgePart,
  ListParts,
  ListShape,
  PageInfoPart,
  Part,
  PreviousPart,
  Selection,
  ValueShape,
} from '../../read-plan/selection.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Branch, TreeField } from './tree.ts'

/** Builds the selections of one root, gathering which of the operation's lists are in it, in the order of their slots. */
export class SelectionBuilder {
  readonly lists: number[] = []
  readonly #shapes: readonly ListShape[]
  readonly #answersCreate: boolean

  /** `answersCreate`: leaves marks where the tokens stand that are shown this once. */
  constructor(shapes: readonly ListShape[], answersCreate = false) {
    this.#shapes = shapes
    this.#answersCreate = answersCreate
  }

  /** What is asked of records of this resource, in a branch of the tree. */
  record(resource: ResourceModel, { type, fields }: Branch, isRoot = false): Selection {
    const parts = fields.map((each) => this.#part(each, type.name, isRoot))
    return { resource, parts, hidden: 'refuse' }
  }

  /** What is asked of a change of such a record: the record, and values of before. */
  change(resource: ResourceModel, { type, fields }: Branch): Selection {
    const parts = fields.map(({ key, meaning, below }): Part => {
      if (meaning?.is === 'self') return { kind: 'self', key, of: this.record(resource, below[0]!) }
      if (meaning?.is === 'previous') return { kind: 'previous', key, parts: previousParts(below[0]!) }
      return typename(key, type.name)
    })
    return { resource, parts, hidden: 'refuse' }
  }

  /** The answer of a root list that is printed as a connection. */
  connection(resource: ResourceModel, { type, fields }: Branch): ListParts {
    const parts = fields.map(({ key, meaning, below }): ConnectionPart => {
      switch (meaning?.is) {
        case undefined:
          return typename(key, type.name)
        case 'edges':
          return { kind: 'edges', key, parts: this.#edge(resource, below[0]!) }
        case 'nodes':
          return { kind: 'nodes', key, of: this.record(resource, below[0]!) }
        case 'pageInfo':
          return { kind: 'pageInfo', key, parts: pageInfo(below[0]!) }
        default:
          return { kind: 'totalCount', key }
      }
    })
    return { as: 'connection', parts }
  }

  #edge(resource: ResourceModel, { type, fields }: Branch): readonly EdgePart[] {
    return fields.map(({ key, meaning, below }): EdgePart => {
      if (meaning === undefined) return typename(key, type.name)
      return meaning.is === 'node'
        ? { kind: 'node', key, of: this.record(resource, below[0]!) }
        : { kind: 'cursor', key }
    })
  }

  #part({ key, meaning, below, list }: TreeField, type: string, isRoot: boolean): Part {
    switch (meaning?.is) {
      case 'field': {
        const { name: field, nullable } = meaning.field
        const part = { kind: 'field', key, field, nullable } as const
        return below.length === 0 ? part : { ...part, shape: shapeOf(below[0]!) }
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
        return { kind: 'constant', key, json: isRoot && this.#answersCreate ? tokenMark(meaning.column.field) : 'null' }
      default:
        return typename(key, type)
    }
  }
}

const previousParts = ({ type, fields }: Branch): readonly PreviousPart[] =>
  fields.map(({ key, meaning }) =>
    meaning?.is === 'field'
      ? { key, field: meaning.field.name }
      : { key, field: null, json: JSON.stringify(type.name) },
  )

const canPart = ({ key, meaning }: TreeField, type: string): CanPart =>
  meaning?.is === 'mayBegin' ? { key, action: meaning.action } : { key, action: null, json: JSON.stringify(type) }

/** Stands where a token goes: no JSON text has a bare NUL in it. */
export const tokenMark = (field: string): string => `\0${field}\0`

const typename = (key: string, type: string) => ({ kind: 'constant', key, json: JSON.stringify(type) }) as const

function pageInfo({ type, fields }: Branch): readonly PageInfoPart[] {
  return fields.map(({ key, meaning }) =>
    meaning === undefined
      ? typename(key, type.name)
      : { kind: meaning.is as Exclude<PageInfoPart['kind'], 'constant'>, key },
  )
}

function shapeOf({ type, fields }: Branch): ValueShape {
  const parts = fields.map(({ key, meaning, below }) => {
    if (meaning?.is !== 'part') return { key, part: null, constant: type.name }
    const shape = below.length === 0 ? {} : { shape: shapeOf(below[0]!) }
    return { key, part: meaning.part, ...shape }
  })
  return { parts }
}
