// The model of a service: its definition with every name resolved, compiled once at the start.

import type { OwnCode } from '../../failure/failure.ts'
import type { Deprecating } from '../deprecation.ts'
import type { SpecBase } from '../field/field.ts'
import type { CalendarUnit } from '../language/calendar.ts'
import type { FilterTest, WhereTest } from '../language/rule/filter.ts'
import type { RuleNode } from '../language/rule/rule.ts'
import type { SignInIssuer } from '../language/service.ts'
import type { OnWrite } from '../language/write-hook.ts'
import type { Permission } from '../naming/permission.ts'
import type { Column, ExclusionModel, FoldedColumn, KeyModel, StoredValue, UniqueModel } from './column.ts'
import type { Accepted, CounterModel, FieldModel, StateTest } from './field-model.ts'
import type { QueryArgument, Scope, ScopeTest } from './scope.ts'

export interface Model {
  readonly resources: readonly ResourceModel[]
  /** Resources that the library needs and does not publish. */
  readonly unlisted: readonly ResourceModel[]
  readonly byName: ReadonlyMap<string, ResourceModel>
  readonly byGraphqlName: ReadonlyMap<string, ResourceModel>
  readonly byPath: ReadonlyMap<string, ResourceModel>
  readonly byPrefix: ReadonlyMap<string, ResourceModel>
  readonly links: readonly Link[]
  readonly accounts: AccountsModel
  readonly permissions: ReadonlySet<Permission>
  readonly roles: ReadonlyMap<string, ReadonlySet<Permission>>
  /** Oldest first; the last is current. */
  readonly versions: readonly VersionModel[]
  /** SQL names of the author's resource and field objects; null if an object has several names. */
  readonly sqlNames: ReadonlyMap<object, string | null>
  readonly onWrite: OnWrite | null
  readonly usesClock: boolean
}

export interface AccountsModel extends AccountModel {
  readonly password: Column
  readonly role: Column
  readonly status: Column
  readonly activeState: string
  /** Sentences of mails and pages by language and key. (contract 5.17.2) */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface AccountModel {
  readonly resource: ResourceModel
  /** The login address, and whether it is verified; null if no field records that. */
  readonly login: Column
  readonly verified: Column | null
  /** Null: the service has only passwords. (contract 5.10) */
  readonly methods: MethodsModel | null
}

export interface VersionModel {
  readonly name: string
  readonly deprecated: Date | null
  readonly sunset: Date | null
}

export interface ResourceModel {
  readonly name: string
  readonly plural: string
  /** In GraphQL, if they differ there. */
  readonly graphql: { readonly name: string; readonly plural: string }
  readonly path: string
  readonly table: string
  readonly prefix: string
  readonly isListed: boolean
  readonly about: string | undefined
  readonly account: AccountModel
  /** What readers can name; no secrets, no arguments. */
  readonly fields: ReadonlyMap<string, FieldModel>
  /** Includes secrets; id first. */
  readonly columns: readonly Column[]
  readonly column: ReadonlyMap<string, Column>
  readonly relations: ReadonlyMap<string, Relation>
  /** Relations of other resources to this one. */
  readonly referrers: readonly { readonly holder: ResourceModel; readonly relation: OneRelation }[]
  readonly state: Column | null
  /** Nearest first. (contract 10.2) */
  readonly tenants: readonly Column[]
  /** Null if it is no tenant. */
  readonly members: MembersModel | null
  /** Filled with the actor on create if nothing is sent. */
  readonly actorColumns: readonly Column[]
  readonly actions: ReadonlyMap<string, ActionModel>
  readonly read: ActionModel
  readonly filters: ReadonlyMap<string, FilterModel>
  /** What clients name: the same, but the parts of an `either` in place of the filters by its relations. */
  readonly namedFilters: ReadonlyMap<string, FilterModel>
  readonly queries: ReadonlyMap<string, QueryModel>
  readonly where: WhereBranch | null
  readonly sorts: ReadonlyMap<string, SortModel>
  readonly summary: SummaryModel | null
  readonly protect: ReadonlyMap<
    string,
    { readonly read?: RuleNode; readonly write?: RuleNode; readonly filter?: RuleNode }
  >
  /** Fields with `protect.read`, in the order of their mask bits (`src/read-plan/mask.ts`). */
  readonly masked: readonly string[]
  /** To-one relations that may be hidden from a reader, and are then null. Their bits follow `masked`. */
  readonly hideable: readonly OneRelation[]
  readonly invariants: readonly { readonly like: Readonly<Record<string, unknown>>; readonly sentence: string }[]
  readonly keys: readonly KeyModel[]
  readonly uniques: readonly UniqueModel[]
  readonly exclusions: readonly ExclusionModel[]
  /** Derived from fields on every write. */
  readonly folded: readonly FoldedColumn[]
  readonly search: SearchModel | null
  /** Columns that are searched together, by any resource. */
  readonly indexed: readonly (readonly FoldedColumn[])[]
  readonly counters: readonly CounterModel[]
  readonly keptNumbers: readonly KeptNumber[]
  /** Numbers of other records that depend on this resource. */
  readonly contributions: readonly KeptNumber[]
  readonly storedValues: readonly StoredValue[]
  /** Lists of records of this resource, and their fields, that rules of writes read. (contract 5.4.5) */
  readonly guards: readonly {
    readonly holder: ResourceModel
    readonly relation: ManyRelation | LinkRelation
    readonly fields: ReadonlySet<string>
  }[]
  readonly timedMoves: readonly TimedMove[]
  /** Moves of others whose due time is a timestamp of this resource. */
  readonly timedReferrers: readonly TimedMove[]
  /** Own kept numbers that rules of writes read, or that stored values are made from. */
  readonly ruledNumbers: ReadonlySet<KeptNumber>
  readonly batch: boolean
  readonly resultUnion: boolean
  /** API keys neither see nor change it. (contract 5.3.7) */
  readonly isCredential: boolean
  readonly notFound: 'NOT_FOUND' | OwnCode
  /** Version → field → its name in that version. */
  readonly olderNames: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Anyone may read every record, so shared caches may keep responses. */
  readonly isPublic: boolean
}

/** A count or sum over a list, stored in the holder's row. */
export interface KeptNumber {
  readonly column: Column
  readonly holder: ResourceModel
  readonly relation: ManyRelation | LinkRelation
  /** The summed column; null for a count. */
  readonly of: Column | null
  /** Null: all records. Tests values of the record only. */
  readonly where: RuleNode | null
  /** Whether it may include records that its reader may not read. */
  readonly isShownToAll: boolean
}

/** A move made by the clock, and its hidden columns. */
export interface TimedMove {
  readonly name: string
  readonly action: ActionModel
  /** Of the record, or of the one that `relation` names. */
  readonly on: Column
  readonly relation: OneRelation | null
  readonly shifts: readonly { readonly unitSeconds: number; readonly count: number | Column }[]
  /** SQL names: not null once made for this due time; not null if refused; the copied timestamp. */
  readonly made: string
  readonly parked: string
  readonly copy: string | null
  readonly includesPast: boolean
  readonly isShownToAll: boolean
}

export interface MembersModel {
  readonly list: ManyRelation
  readonly account: Column
  readonly role: Column
  /** The condition for a membership to count; null: always. */
  readonly while: RuleNode | null
  /** Null: none of its tenants requires a second factor. (contract 10.2.23) */
  readonly secondFactor: {
    /** True: this tenant requires it. */
    readonly column: Column
    /** A member of the tenant and of those around it, whose session may lack it. */
    readonly inside: RuleNode
  } | null
}

export interface ValuePath {
  readonly name: string
  /** Gives a record several values; null without a list. */
  readonly list: ManyRelation | LinkRelation | null
  /** Each from the record before it. */
  readonly relations: readonly OneRelation[]
  readonly resource: ResourceModel
  readonly column: Column
}
export interface SortModel extends ValuePath {
  /** Some reader may not see it. */
  readonly isHideable: boolean
  /** No reader sees it. */
  readonly isHidden: boolean
  /** The relation inside which lists are sorted so; null for any list. */
  readonly inside: OneRelation | null
}

/** By the names of the definition. */
export interface SummaryModel {
  readonly groups: ReadonlyMap<string, GroupModel>
  /** Exact numbers, for sums. */
  readonly measures: ReadonlyMap<string, SortModel>
  /** Paths whose different values may be counted. */
  readonly distinct: ReadonlyMap<string, SortModel>
}
export interface GroupModel extends SortModel {
  readonly units: readonly CalendarUnit[]
}
export type { Accepted, CalendarUnit, CounterModel, FieldModel, StateTest }

export interface SearchModel {
  readonly documents: readonly SearchDocument[]
  readonly size: number
}
export interface SearchDocument {
  /** Null for the record itself. */
  readonly relation: ManyRelation | LinkRelation | null
  readonly resource: ResourceModel
  readonly words: readonly SearchField[]
  readonly parts: readonly SearchField[]
}
export interface SearchField {
  readonly column: FoldedColumn
  readonly place: number
}

export type Relation = OneRelation | ManyRelation | LinkRelation
export interface OneRelation {
  readonly kind: 'one'
  readonly field: string
  readonly target: ResourceModel
  readonly column: Column
  /** `leave`: the record stays as it is, and no caller can read it. */
  readonly onDelete: 'cascade' | 'restrict' | 'clear' | 'leave'
  /** Whether a cascade needs the right to delete this record, too. */
  readonly isRuled: boolean
  /** The rule for naming a target; null: it must be readable. */
  readonly into: RuleNode | null
  /** Relations whose values holder and target must share. */
  readonly same: readonly string[]
  /** The relation whose record provides the value; null if it is given. */
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
  readonly side: 'source' | 'target'
}
/** A join table, with createdAt of both ends, which never changes, so that both lists page on an index. */
export interface Link {
  readonly table: string
  readonly source: ResourceModel
  readonly target: ResourceModel
  /** The tree's relation, if the link joins each record with those above it. Never paged. */
  readonly parent: OneRelation | null
}

export interface FilterModel {
  readonly name: string
  readonly test: FilterTest
  readonly column: Column
  readonly part: string | null
  readonly value: SpecBase
  readonly deprecated: Deprecating | null
  /** Of an `either`: one of its filters takes the place of this one, by the value. */
  readonly either?: EitherPart<FilterModel>
  /** It stands in for one of an `either`. Presence is tested, absence never. */
  readonly isOfEither?: true
}
/** The id or the type that an `either` has, with what tests its relations in this way. (contract 11.6) */
export interface EitherPart<Branch> {
  readonly field: string
  readonly part: 'id' | 'type'
  readonly branches: readonly Branch[]
}

export interface WhereBranch {
  readonly resource: ResourceModel
  readonly values: ReadonlyMap<string, WhereValue>
  /** What conditions name: the same, but the parts of an `either` in place of its relations. */
  readonly named: ReadonlyMap<string, WhereValue>
  readonly steps: ReadonlyMap<string, WhereStep>
}
export interface WhereStep {
  readonly holder: ResourceModel
  readonly relation: Relation
  readonly of: WhereBranch
}
export interface WhereValue {
  readonly resource: ResourceModel
  readonly column: Column
  /** The value's type, or for a list its element's. */
  readonly spec: SpecBase
  readonly tests: ReadonlySet<WhereTest>
  /** Whether it may be null for some reader: unset or hidden. */
  readonly nullable: boolean
  /** Where its parts are indexed, if they all are: a part of it is a part of what is indexed. */
  readonly parts?: SearchDocument
  /** Of an `either`: tests of its relations take the place of tests of this one. */
  readonly either?: EitherPart<WhereValue>
  /** For a tree: what leads to the records above, and their id. */
  readonly tree?: WhereTreePath
}
export interface WhereTreePath {
  readonly parent: WhereStep
  readonly above: WhereStep
  readonly id: WhereValue
}

export interface QueryModel {
  readonly name: string
  readonly resource: ResourceModel
  readonly allow: RuleNode
  readonly about: string | undefined
  readonly args: readonly QueryArgument[]
  /** Null if `ids` finds the records. */
  readonly where: RuleNode | null
  readonly scope: Scope | null
  /** In the order of their values. */
  readonly tests: readonly ScopeTest[]
  readonly ids: ((call: object) => Promise<readonly string[]>) | null
  readonly sort: readonly { readonly column: Column; readonly descending: boolean }[]
  readonly isPublic: boolean
}

/** A `move` concerns one record, a `collection` no single one. */
export type ActionKind = 'read' | 'create' | 'update' | 'delete' | 'move' | 'collection'
export interface MethodsModel {
  /** Accounts get tokens only once their address is proved. */
  readonly requireVerified: boolean
  readonly magicLink: boolean
  readonly passkeys: boolean
  readonly totp: boolean
  /** Whether the service has pages of its own to sign in. (contract 5.17) */
  readonly pages: boolean
  /** Roles that sign in with a second factor only. */
  readonly secondFactorFor: ReadonlySet<string>
  /** Whether accounts can have records of `SignInMethod`. */
  readonly isStored: boolean
  readonly issuers: Readonly<Record<string, SignInIssuer>>
}
export interface ActionModel {
  readonly name: string
  readonly kind: ActionKind
  readonly resource: ResourceModel
  readonly allow: RuleNode
  /** How long ago the caller may have signed in; null: at any time. (contract 5.10.3) */
  readonly freshSeconds: number | null
  readonly about: string | undefined
  readonly maxAgeSeconds: number | null
  readonly accept: readonly Accepted[]
  /** What clients send of it: the same, but an `either` in place of its relations. (contract 11.6) */
  readonly sent: readonly Accepted[]
  readonly lists: readonly AcceptedList[]
  readonly mayFollow: readonly ActionModel[]
  /** Every condition must hold, otherwise 409. */
  readonly from: readonly StateTest[]
  readonly check: ((moment: object) => true | string | Promise<true | string>) | null
  readonly checkReads: boolean
  readonly to: string | null
  readonly set: readonly { readonly column: Column; readonly value: unknown }[]
  /** Tokens that it makes anew. A create makes all. */
  readonly renews: readonly Column[]
  readonly link: LinkRelation | null
  readonly unlink: LinkRelation | null
  // biome-ignore lint/suspicious/noConfusingVoidType: an effect that refuses nothing returns nothing
  readonly effect: ((transaction: object) => Promise<void | string>) | null
  readonly emit: Pick<EventModel, 'name' | 'by' | 'with' | 'changed' | 'about'> | null
  readonly deprecated: Deprecating | null
}
export interface AcceptedList {
  readonly field: string
  readonly min: number
  /** The rule for linking a record; null: it must be readable. */
  readonly into: RuleNode | null
  readonly relation: ManyRelation | LinkRelation
}
export interface EventModel {
  readonly name: string
  readonly resource: ResourceModel
  /** The relation to the record whose subscribers are notified; null: all. */
  readonly by: EventRelation | null
  /** Tokens of the new record that reactions receive. */
  readonly with: readonly string[]
  /** Emitted only if one of these changed; empty: always. */
  readonly changed: readonly Column[]
  readonly about: string | undefined
  readonly isDeletion: boolean
}

/** A relation, or an `either` with those that it combines. */
export interface EventRelation {
  readonly field: string
  readonly branches: readonly OneRelation[]
}

/** Each event once, however many actions emit it. */
export function eventsOf(model: Model): readonly EventModel[] {
  const actions = model.resources.flatMap((resource) => [...resource.actions.values()])
  const emitted = actions.flatMap(({ resource, kind, emit }): EventModel[] =>
    emit === null ? [] : [{ resource, ...emit, isDeletion: kind === 'delete' }],
  )
  const aboutOf = (name: string) => emitted.find((event) => event.name === name && event.about !== undefined)?.about
  return [...new Map(emitted.map((event) => [event.name, { ...event, about: aboutOf(event.name) }])).values()]
}
