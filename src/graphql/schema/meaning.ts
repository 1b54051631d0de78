// The meaning of each field of the schema in terms of the model, used in place of resolvers.

import type { GraphQLField, GraphQLFieldConfig, GraphQLFieldConfigArgumentMap } from 'graphql'
import type { RouteDefinition } from '../../custom-route/definition.ts'
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
  | SummaryMeaning
  | { readonly is: 'mayBegin'; readonly action: ActionModel }
  /** Of an event with previous values. */
  | { readonly is: 'self' | 'previous' }
  /** Of connections. */
  | { readonly is: 'edges' | 'nodes' | 'pageInfo' | 'totalCount' | 'cursor' | 'node' }
  | { readonly is: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor' }
  /** Of an object. */
  | { readonly is: 'part'; readonly part: string }
  /** Of a failure. */
  | { readonly is: 'code' | 'message' }

export type RootMeaning =
  | { readonly is: 'record' | 'result'; readonly resource: ResourceModel; readonly key?: KeyModel }
  | { readonly is: 'upsert' | 'upsertMany'; readonly resource: ResourceModel }
  | { readonly is: 'connection' | 'array'; readonly resource: ResourceModel; readonly query?: QueryModel }
  | { readonly is: 'summary'; readonly resource: ResourceModel }
  /** A record of any resource. */
  | { readonly is: 'anything' }
  | { readonly is: 'me'; readonly resource: ResourceModel }
  | { readonly is: 'event'; readonly event: EventModel }
  | { readonly is: 'write'; readonly action: ActionModel; readonly targets: WriteTargets }
  | { readonly is: 'route'; readonly route: RouteDefinition }

/** `collection`: no particular record. `bulk`: by condition or ids, returning only a count. */
export type WriteTargets = 'one' | 'createMany' | 'updateMany' | 'collection' | 'bulk'

export type RecordMeaning =
  | { readonly is: 'field'; readonly field: FieldModel }
  | { readonly is: 'one'; readonly relation: OneRelation; readonly nullable: boolean }
  /** One of these relations, which lead to different resources. */
  | { readonly is: 'either'; readonly field: FieldModel; readonly branches: readonly OneRelation[] }
  | { readonly is: 'list'; readonly relation: ManyRelation | LinkRelation }
  /** Readable only in the answer of create. */
  | { readonly is: 'token'; readonly column: Column }
  /** The actions that the reader may begin. */
  | { readonly is: 'can' }

export type SummaryMeaning =
  | { readonly is: 'group' | 'measure' | 'difference'; readonly path: SortModel }
  | { readonly is: 'count' | 'distinct' | Measurement }

/** Undefined for introspection. */
export const meaningOf = (field: GraphQLField<unknown, unknown>): Meaning | undefined =>
  field.extensions['meaning'] as Meaning | undefined

export type Field = GraphQLFieldConfig<unknown, unknown>

export const makeField = (
  type: Field['type'],
  description: string,
  meaning: Meaning,
  args: GraphQLFieldConfigArgumentMap = {},
): Field => ({ type, args, description, extensions: { meaning } })
