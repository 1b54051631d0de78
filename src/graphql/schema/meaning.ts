// What each field of the schema means in the words of the model. The schema carries no resolvers; it carries these.

import type { GraphQLField } from 'graphql'
import type { Measurement } from '../../read-plan/summary.ts'
import type { Column, KeyModel } from '../../resource/model/column.ts'
import type {
  ActionModel,
  EventModel,
  FieldModel,
  LinkRelation,
  ManyRelation,
  OneRelation,
  QueryModel,
  ResourceModel,
  SortModel,
} from '../../resource/model/model.ts'

export type Meaning =
  | RootMeaning
  | RecordMeaning
  | ActionMeaning
  | EventMeaning
  | ConnectionMeaning
  | SummaryMeaning
  | ValueMeaning

/** Fields of Query and Mutation. */
export type RootMeaning =
  | { readonly is: 'record' | 'result'; readonly resource: ResourceModel; readonly key?: KeyModel }
  /** Creates or replaces the record that a key names. */
  | { readonly is: 'upsert'; readonly resource: ResourceModel }
  /** All there are, or those that a query means. */
  | { readonly is: 'connection' | 'array'; readonly resource: ResourceModel; readonly query?: QueryModel }
  /** What many records come to. */
  | { readonly is: 'summary'; readonly resource: ResourceModel }
  /** The record with this id, whatever it is. */
  | { readonly is: 'anything' }
  /** Who is asking. */
  | { readonly is: 'me'; readonly resource: ResourceModel }
  /** Each time that something happens. */
  | { readonly is: 'event'; readonly event: EventModel }
  | { readonly is: 'write'; readonly action: ActionModel; readonly targets: WriteTargets }

/** One record, many, none in particular, or those that a condition or ids name, of which only their number is answered. */
export type WriteTargets = 'one' | 'createMany' | 'updateMany' | 'collection' | 'bulk'

/** Fields of a record. */
export type RecordMeaning =
  | { readonly is: 'field'; readonly field: FieldModel }
  | { readonly is: 'one'; readonly relation: OneRelation; readonly nullable: boolean }
  | { readonly is: 'list'; readonly relation: ManyRelation | LinkRelation }
  /** Shown once, in the answer to create. */
  | { readonly is: 'token'; readonly column: Column }
  /** What the reader may do with it now. */
  | { readonly is: 'can' }

/** Fields of what the reader may do with a record. */
export interface ActionMeaning {
  readonly is: 'mayBegin'
  readonly action: ActionModel
}

/** Fields of what is told of a change: the record as it is, and values of before. */
export interface EventMeaning {
  readonly is: 'self' | 'previous'
}

/** Fields of a connection, its edges and its page info. */
export interface ConnectionMeaning {
  readonly is:
    | 'edges'
    | 'nodes'
    | 'pageInfo'
    | 'totalCount'
    | 'cursor'
    | 'node'
    | 'hasNextPage'
    | 'hasPreviousPage'
    | 'startCursor'
    | 'endCursor'
}

/** Fields of a group of a summary, and of what its numbers come to. */
export type SummaryMeaning =
  | { readonly is: 'group' | 'measure' | 'difference'; readonly path: SortModel }
  | { readonly is: 'count' | 'distinct' | Measurement }

/** Fields of an object inside a record, and of a foreseen failure. */
export type ValueMeaning = { readonly is: 'part'; readonly part: string } | { readonly is: 'code' | 'message' }

/** The meaning that the schema gave this field; undefined for those of introspection. */
export const meaningOf = (field: GraphQLField<unknown, unknown>): Meaning | undefined =>
  field.extensions['meaning'] as Meaning | undefined

/** As the configuration of a field takes it. */
export const meaning = <M extends Meaning>(of: M): { readonly extensions: { readonly meaning: M } } => ({
  extensions: { meaning: of },
})
