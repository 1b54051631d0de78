// A resource while it is compiled: resources refer to each other, so it exists before its relations.

import type { FoldedColumn } from './column.ts'
import type {
  AccountModel,
  ActionModel,
  FieldModel,
  FilterModel,
  KeptNumber,
  MembersModel,
  OneRelation,
  QueryModel,
  Relation,
  ResourceModel,
  SearchModel,
  SortModel,
  SummaryModel,
  TimedMove,
  WhereBranch,
} from './model.ts'

export interface ResourceDraft extends ResourceModel {
  readonly relations: Map<string, Relation>
  readonly referrers: { readonly holder: ResourceModel; readonly relation: OneRelation }[]
  readonly keptNumbers: KeptNumber[]
  readonly contributions: KeptNumber[]
  readonly guards: ResourceModel['guards'][number][]
  readonly timedMoves: TimedMove[]
  readonly timedReferrers: TimedMove[]
  readonly ruledNumbers: Set<KeptNumber>
  readonly fields: Map<string, FieldModel>
  readonly filters: Map<string, FilterModel>
  readonly namedFilters: Map<string, FilterModel>
  readonly queries: Map<string, QueryModel>
  readonly actions: Map<string, ActionModel>
  account: AccountModel
  members: MembersModel | null
  folded: readonly FoldedColumn[]
  search: SearchModel | null
  indexed: readonly (readonly FoldedColumn[])[]
  sorts: Map<string, SortModel>
  summary: SummaryModel | null
  hideable: readonly OneRelation[]
  read: ActionModel
  where: WhereBranch | null
}
