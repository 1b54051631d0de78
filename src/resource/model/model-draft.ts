// A resource of the model while it is being compiled: it exists before its relations, since resources refer to each other.

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
  WhereBranch,
} from './model.ts'

/** Compilation fills these; everything else is complete from the start. */
export interface ResourceDraft extends ResourceModel {
  readonly relations: Map<string, Relation>
  readonly referrers: { readonly holder: ResourceModel; readonly relation: OneRelation }[]
  readonly keptNumbers: KeptNumber[]
  readonly contributions: KeptNumber[]
  readonly fields: Map<string, FieldModel>
  readonly filters: Map<string, FilterModel>
  readonly queries: Map<string, QueryModel>
  readonly actions: Map<string, ActionModel>
  account: AccountModel
  members: MembersModel | null
  folded: readonly FoldedColumn[]
  search: SearchModel | null
  indexed: readonly (readonly FoldedColumn[])[]
  sorts: ReadonlyMap<string, SortModel>
  summary: SummaryModel | null
  hideable: readonly OneRelation[]
  read: ActionModel
  where: WhereBranch | null
}
