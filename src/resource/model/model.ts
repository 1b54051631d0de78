// What a service definition means: every name resolved, everything that follows from it worked out once, at start.

import type { OwnCode } from '../../failure/failure.ts'
import type { Deprecating } from '../deprecation.ts'
import type { FieldKind, SpecBase } from '../field/field.ts'
import type { FilterTest, WhereTest } from '../language/filter.ts'
import type { RuleNode } from '../language/rule.ts'
import type { OnWrite } from '../language/write-hook.ts'
import type { Permission } from '../naming/permission.ts'
import type { Column, FoldedColumn, KeyModel, UniqueModel } from './column.ts'
import type { QueryArgument, Scope, ScopeTest } from './scope.ts'

export interface Model {
  readonly resources: readonly ResourceModel[]
  /** What the library needs and the service does not publish: no routes, no fields, but tables. */
  readonly unlisted: readonly ResourceModel[]
  /** All of them. */
  readonly byName: ReadonlyMap<string, ResourceModel>
  readonly byPath: ReadonlyMap<string, ResourceModel>
  readonly byPrefix: ReadonlyMap<string, ResourceModel>
  readonly links: readonly Link[]
  readonly accounts: AccountsModel
  /** Every permission that a rule asks for. */
  readonly permissions: ReadonlySet<Permission>
  readonly roles: ReadonlyMap<string, ReadonlySet<Permission>>
  /** Oldest first; the last is current. */
  readonly versions: readonly VersionModel[]
  /** What SQL calls resources and fields of the definition, by what `resource(…)` made of them; null where that is not one name. */
  readonly sqlNames: ReadonlyMap<object, string | null>
  /** Told of every write; null where nothing is. */
  readonly onWrite: OnWrite | null
}

export interface AccountsModel extends AccountModel {
  readonly password: Column
  readonly role: Column
  readonly status: Column
  /** The state in which an account may sign in. */
  readonly activeState: string
}

/** What rules may ask of the account of whoever asks. */
export interface AccountModel {
  readonly resource: ResourceModel
  /** The address that people sign in with, and whether it is known to be theirs; null where nothing tells. */
  readonly login: Column
  readonly verified: Column | null
}

export interface VersionModel {
  /** `v1`. */
  readonly name: string
  readonly deprecated: Date | null
  readonly sunset: Date | null
}

export interface ResourceModel {
  /** `ApiKey`. */
  readonly name: string
  /** `apiKeys`. */
  readonly plural: string
  /** `api-keys`: in paths, permissions and scopes. */
  readonly path: string
  /** `api_keys`. */
  readonly table: string
  /** `key`: begins every id. */
  readonly prefix: string
  /** What its author says that it is. */
  readonly about: string | undefined
  /** Whose records sign in. */
  readonly account: AccountModel
  /** Everything a reader can name: id, stored fields, createdAt, updatedAt, relations; not secrets, not arguments. */
  readonly fields: ReadonlyMap<string, FieldModel>
  /** Every column that a record's values live in, secrets included; id first. */
  readonly columns: readonly Column[]
  readonly column: ReadonlyMap<string, Column>
  readonly relations: ReadonlyMap<string, Relation>
  /** Required or optional relations of other records to this one. */
  readonly referrers: readonly { readonly holder: ResourceModel; readonly relation: OneRelation }[]
  readonly state: Column | null
  /** The relations to the tenants that a record is in, nearest first. (contract 10.2) */
  readonly tenants: readonly Column[]
  /** Who are members of a record of it; null where it is no tenant. */
  readonly members: MembersModel | null
  /** Relations to the account that a new record has from whoever creates it, where nothing else is sent. */
  readonly actorColumns: readonly Column[]
  readonly actions: ReadonlyMap<string, ActionModel>
  readonly read: ActionModel
  readonly filters: ReadonlyMap<string, FilterModel>
  readonly queries: ReadonlyMap<string, QueryModel>
  /** What conditions of lists may speak of; null where they may not. */
  readonly where: WhereBranch | null
  /** What lists can be sorted by, by the names of the definition; createdAt among it. */
  readonly sorts: ReadonlyMap<string, SortModel>
  /** Null where nothing may be asked of many records at once. */
  readonly summary: SummaryModel | null
  readonly protect: ReadonlyMap<
    string,
    { readonly read?: RuleNode; readonly write?: RuleNode; readonly filter?: RuleNode }
  >
  /** Fields with a `protect.read`, in the order of their bits in an ETag's mask. */
  readonly masked: readonly string[]
  /** The relations to one record that may be hidden from a reader of this one; they are null then. Their bits follow. */
  readonly hideable: readonly OneRelation[]
  readonly invariants: readonly { readonly like: Readonly<Record<string, unknown>>; readonly sentence: string }[]
  /** By what others name a record. */
  readonly keys: readonly KeyModel[]
  /** What no two living records have alike, keys among it. */
  readonly uniques: readonly UniqueModel[]
  /** Columns beside those of fields, kept by whatever writes the fields. */
  readonly folded: readonly FoldedColumn[]
  /** What lists can be searched by; null where they cannot. */
  readonly search: SearchModel | null
  /** Which of the folded columns are searched together, of its own lists and of others'. */
  readonly indexed: readonly (readonly FoldedColumn[])[]
  readonly counters: readonly CounterModel[]
  /** Numbers that follow from lists of the record. */
  readonly keptNumbers: readonly KeptNumber[]
  /** The numbers of other records that follow from records of this resource, by a relation of theirs. */
  readonly contributions: readonly KeptNumber[]
  readonly batch: boolean
  readonly resultUnion: boolean
  /** The code of a missing or hidden record. */
  readonly notFound: 'NOT_FOUND' | OwnCode
  /** Version → field → the name it has there. */
  readonly olderNames: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** True where anybody may read every record, so that shared caches may keep answers. */
  readonly isPublic: boolean
}

export interface FieldModel {
  readonly name: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** Null for what is kept elsewhere or nowhere: relations, computed fields. */
  readonly column: Column | null
  /** Whether a reader may find null in it. */
  readonly nullable: boolean
  /** Null for what is stored. Otherwise `make` works the value out of a record's values of these columns, by field. */
  readonly computed: {
    readonly from: readonly Column[]
    readonly make: (row: Readonly<Record<string, unknown>>) => unknown
  } | null
}

/** A number that is counted. */
export interface CounterModel {
  readonly column: Column
  /** The relation to the records within each of which it is counted; null where all are counted together. */
  readonly within: Column | null
  /** The move that gives it; null where every new record gets one. */
  readonly on: string | null
}

/** How many living records a list of the holder has, or what a field of them adds up to, kept in the holder's row. */
export interface KeptNumber {
  readonly column: Column
  readonly holder: ResourceModel
  readonly relation: ManyRelation | LinkRelation
  /** What is added up; null where records are counted. */
  readonly of: Column | null
  /** Which of them count; null for all. About nothing but values of the record. */
  readonly where: RuleNode | null
  /** Whether its author says that it may tell of records which its reader may not read. */
  readonly isShownToAll: boolean
}

/** Accounts that a list of records names, each with its role inside. */
export interface MembersModel {
  readonly list: ManyRelation
  readonly account: Column
  readonly role: Column
  /** What holds of those that count; null where all do. */
  readonly while: RuleNode | null
}

/** A value of a record, or of one that it leads to by references: `assignee.name`. */
export interface ValuePath {
  readonly name: string
  /** The list of the record whose members the path goes on from, so that a record has several such values; null for none. */
  readonly list: ManyRelation | LinkRelation | null
  /** Each of the record that the one before leads to; none for a value of the record itself. */
  readonly relations: readonly OneRelation[]
  /** Whose column it is. */
  readonly resource: ResourceModel
  readonly column: Column
}
export interface SortModel extends ValuePath {
  /** Whether some reader may be told nothing of it, though it is there. */
  readonly isHideable: boolean
  /** Whether no reader could ever be told of it. */
  readonly isHidden: boolean
}

/** What clients may ask of many records at once, by the names of the definition. */
export interface SummaryModel {
  readonly groups: ReadonlyMap<string, GroupModel>
  /** What is added up: exact numbers. */
  readonly measures: ReadonlyMap<string, SortModel>
  /** Of which different values are counted. */
  readonly distinct: ReadonlyMap<string, SortModel>
}
export interface GroupModel extends SortModel {
  /** What a moment or a day is grouped by; empty for all else. */
  readonly units: readonly CalendarUnit[]
}
export type CalendarUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

/** What is searched; the fields are in the order of the definition. */
export interface SearchModel {
  readonly documents: readonly SearchDocument[]
  /** How many fields there are. */
  readonly size: number
}
export interface SearchDocument {
  /** The list whose records these are; null for the record itself. */
  readonly relation: ManyRelation | LinkRelation | null
  readonly resource: ResourceModel
  readonly words: readonly SearchField[]
  readonly parts: readonly SearchField[]
}
export interface SearchField {
  readonly column: FoldedColumn
  /** From 0; what stands first weighs most. */
  readonly place: number
}

export type Relation = OneRelation | ManyRelation | LinkRelation
export interface OneRelation {
  readonly kind: 'one'
  readonly field: string
  readonly target: ResourceModel
  readonly column: Column
  /** What becomes of the holder when the target is deleted. */
  readonly onDelete: 'cascade' | 'restrict' | 'clear'
  /** What must hold of the target for whoever names it; null where it need only be readable. */
  readonly into: RuleNode | null
  /** The relations whose values the holder and the target must have in common. */
  readonly same: readonly string[]
  /** The relation whose record a new one takes this value from; null where it is given. */
  readonly from: string | null
}
export interface ManyRelation {
  readonly kind: 'many'
  readonly field: string
  readonly target: ResourceModel
  readonly by: OneRelation
}
export interface LinkRelation {
  readonly kind: 'manyToMany'
  readonly field: string
  readonly target: ResourceModel
  readonly link: Link
  /** Which of the link's two columns holds the record whose relation this is. */
  readonly side: 'source' | 'target'
}
/** A join table. It copies each end's createdAt, which never changes, so that either list pages on an index. */
export interface Link {
  readonly table: string
  readonly source: ResourceModel
  readonly target: ResourceModel
}

export interface FilterModel {
  readonly name: string
  readonly test: FilterTest
  readonly column: Column
  /** The part of the list's objects that `contains` looks at. */
  readonly part: string | null
  /** What a filter's value must be. */
  readonly value: SpecBase
  /** Null where clients may go on using it. */
  readonly deprecated: Deprecating | null
}

/** What may be asked of the records of one resource: by field, of their values, and of what their relations lead to. */
export interface WhereBranch {
  readonly resource: ResourceModel
  readonly values: ReadonlyMap<string, WhereValue>
  readonly steps: ReadonlyMap<string, WhereStep>
}
export interface WhereStep {
  readonly holder: ResourceModel
  readonly relation: Relation
  readonly of: WhereBranch
}
export interface WhereValue {
  /** Whose value it is. */
  readonly resource: ResourceModel
  readonly column: Column
  /** What it is compared with: a value like it, or an element of the list that it is. */
  readonly spec: SpecBase
  readonly tests: ReadonlySet<WhereTest>
  /** Whether it may be null to somebody, for want of a value or of the right to see it. */
  readonly nullable: boolean
}

/** A list with a name and arguments. */
export interface QueryModel {
  readonly name: string
  readonly resource: ResourceModel
  /** Who may ask, whatever the records. */
  readonly allow: RuleNode
  readonly about: string | undefined
  readonly args: readonly QueryArgument[]
  /** Which records it means; null where `ids` finds them. As it was said … */
  readonly where: RuleNode | null
  /** … and as it is asked. */
  readonly scope: Scope | null
  /** The tests of the scope, in the order of their values. */
  readonly tests: readonly ScopeTest[]
  readonly ids: ((asking: object) => Promise<readonly string[]>) | null
  /** The order where a client asks for none. */
  readonly sort: readonly { readonly column: Column; readonly descending: boolean }[]
  /** True where it means the same records whoever asks. */
  readonly isPublic: boolean
}

/** A `move` is on one record, a `collection` on none in particular. */
export type ActionKind = 'read' | 'create' | 'update' | 'delete' | 'move' | 'collection'
export interface ActionModel {
  readonly name: string
  readonly kind: ActionKind
  readonly resource: ResourceModel
  readonly allow: RuleNode
  readonly about: string | undefined
  readonly maxAgeSeconds: number | null
  readonly accept: readonly Accepted[]
  /** The lists that it accepts. (contract 13.1) */
  readonly lists: readonly AcceptedList[]
  readonly mayFollow: readonly ActionModel[]
  /** Every condition must hold, otherwise 409. */
  readonly from: readonly StateTest[]
  readonly check: ((moment: object) => true | string | Promise<true | string>) | null
  /** Whether the check is asynchronous: it reads in the transaction. */
  readonly checkReads: boolean
  readonly to: string | null
  readonly set: readonly { readonly column: Column; readonly value: unknown }[]
  readonly link: LinkRelation | null
  readonly unlink: LinkRelation | null
  // biome-ignore lint/suspicious/noConfusingVoidType: an effect that refuses nothing returns nothing
  readonly effect: ((transaction: object) => Promise<void | string>) | null
  readonly emit: Pick<EventModel, 'name' | 'by' | 'with' | 'changed' | 'about'> | null
  readonly deprecated: Deprecating | null
}
/** A list that an action accepts: children to be made, or records to be linked. */
export interface AcceptedList {
  readonly field: string
  readonly relation: ManyRelation | LinkRelation
}
/** A field that an action accepts. */
export interface Accepted {
  readonly field: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** Null for arguments. */
  readonly column: Column | null
  readonly nullable: boolean
  /** Undefined where the client must give it. */
  readonly initial: (() => unknown) | undefined
}
/** Something that actions emit and that clients subscribe to. */
export interface EventModel {
  readonly name: string
  readonly resource: ResourceModel
  /** The relation that names the record which subscribers listen to; null where they listen to all. */
  readonly by: OneRelation | null
  /** The tokens of the new record that reactions are handed. */
  readonly with: readonly string[]
  /** One of these has changed, and it tells what they were before; none where it is emitted whatever changes. */
  readonly changed: readonly Column[]
  readonly about: string | undefined
  /** Whether it tells that the record was deleted. */
  readonly isDeletion: boolean
}

/** Each event once, whatever number of actions emit it. */
export function eventsOf(model: Model): readonly EventModel[] {
  const actions = model.resources.flatMap((resource) => [...resource.actions.values()])
  const emitted = actions.flatMap(({ resource, kind, emit }): EventModel[] =>
    emit === null ? [] : [{ resource, ...emit, isDeletion: kind === 'delete' }],
  )
  const aboutOf = (name: string) => emitted.find((event) => event.name === name && event.about !== undefined)?.about
  return [...new Map(emitted.map((event) => [event.name, { ...event, about: aboutOf(event.name) }])).values()]
}

export interface StateTest {
  readonly column: Column
  /** One of these values, or whether there must be any. */
  readonly values: readonly unknown[] | null
  readonly present: boolean | null
}
