// What `resource(…)` and `service(…)` hold at run time: the author's object, unchanged.

import type { Deprecating } from '../deprecation.ts'
import type { SpecBase } from '../field/field.ts'
import type { Usual } from './action.ts'
import type { DueDefinition } from './due.ts'
import type { FilterTest } from './rule/filter.ts'
import type { RuleNode } from './rule/rule.ts'
import type {
  Deprecated,
  Service,
  ServiceMigration,
  ServiceReaction,
  ServiceRoute,
  ServiceSchedule,
  SignInIssuer,
} from './service.ts'
import type { OnWrite } from './write-hook.ts'

export interface Definition {
  readonly name: string
  readonly members?: MembersDefinition
  readonly within?: string
  readonly prefix: string
  readonly plural?: string
  readonly graphql?: string
  readonly table?: string
  readonly about?: string
  readonly fields: Readonly<Record<string, SpecBase>>
  readonly computed?: Readonly<Record<string, ComputedDefinition>>
  /** Computed fields that became fields, since they are stored. */
  readonly stored?: Readonly<Record<string, ComputedDefinition>>
  readonly protect?: Readonly<Record<string, ProtectDefinition>>
  readonly filter?: Readonly<Record<string, FilterDefinition>>
  readonly sort?: readonly string[] | Readonly<Record<string, SortDefinition>>
  readonly where?: readonly string[]
  readonly counts?: Readonly<Record<string, KeptNumberDefinition>>
  readonly sums?: Readonly<Record<string, KeptNumberDefinition>>
  readonly summary?: SummaryDefinition
  readonly search?: readonly string[]
  readonly anywhere?: readonly string[]
  readonly queries?: Readonly<Record<string, QueryDefinition>>
  readonly formerly?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly invariants?: readonly { readonly invariant: string; readonly like: Readonly<Record<string, unknown>> }[]
  readonly unique?: readonly UniqueDefinition[]
  readonly exclude?: readonly ExclusionDefinition[]
  readonly keys?: readonly KeyDefinition[]
  readonly batch?: false
  readonly resultUnion?: true
  readonly notFound?: string
  readonly actions: Readonly<Record<string, ActionDefinition>>
}
/** `within`: the relation inside which lists are sorted so. */
export interface SortDefinition {
  readonly within?: string
}
/** By path; without createdAt. */
export const sortsOf = ({ sort = [] }: Pick<Definition, 'sort'>): readonly (readonly [string, SortDefinition])[] =>
  Array.isArray(sort) ? sort.map((path) => [path, {}] as const) : Object.entries(sort)
export interface SummaryDefinition {
  readonly by: readonly string[]
  readonly of?: readonly string[]
  readonly distinct?: readonly string[]
}
export type UniqueDefinition =
  | readonly string[]
  | { readonly fields: readonly string[]; readonly where?: RuleNode; readonly caseless?: true; readonly per?: string }
export type KeyDefinition = readonly string[] | { readonly fields: readonly string[]; readonly where?: RuleNode }
export type WholeUnique = Exclude<UniqueDefinition, readonly string[]>
export const wholeOf = (each: UniqueDefinition): WholeUnique => ('fields' in each ? each : { fields: each })
export interface ExclusionDefinition {
  readonly fields: readonly string[]
  readonly overlap: readonly [start: string, end: string]
  readonly where?: RuleNode
  readonly per?: string
}
/** A list of the resource, or a field of its records: `lines.amount`. */
export type KeptNumberDefinition =
  | string
  | {
      readonly of: string
      readonly where?: RuleNode
      readonly shown?: 'to all'
      readonly about?: string
      readonly as?: string
    }
/** The members of a record: accounts named by the records of this list. */
export interface MembersDefinition {
  readonly list: string
  readonly account: string
  readonly role: string
  readonly while?: RuleNode
  /** A boolean field of the tenant: whether its members need a second factor. (contract 10.2.23) */
  readonly secondFactorIf?: string
  /** A member of this tenant and of those around it, whose session may lack a second factor. Added when tenants are expanded. */
  readonly inside?: RuleNode
}
export interface ComputedDefinition {
  readonly as: SpecBase
  readonly from: readonly string[]
  readonly make: (row: Readonly<Record<string, unknown>>) => unknown
  /** `true` is revision 1. */
  readonly stored?: true | { readonly revision: number }
}
export interface ProtectDefinition {
  readonly read?: RuleNode
  readonly write?: RuleNode
  readonly filter?: RuleNode
}
export interface FilterDefinition {
  readonly test: FilterTest
  /** By default the field of the same name. */
  readonly on?: string
  readonly deprecated?: Deprecating
}
export interface QueryDefinition {
  readonly allow: RuleNode
  readonly args?: Readonly<Record<string, SpecBase>>
  readonly where?: RuleNode
  readonly ids?: (call: object) => Promise<readonly string[]>
  readonly sort?: readonly string[]
  readonly about?: string
}
export interface ActionDefinition {
  readonly allow: RuleNode
  readonly at?: string | DueDefinition
  readonly past?: true
  readonly shown?: 'to all'
  readonly partly?: { readonly allow: RuleNode; readonly fields: readonly string[] }
  readonly on?: 'collection'
  readonly maxAgeSeconds?: number
  readonly accept?: readonly string[]
  /** What is required of lists, from `accept` as it was written. */
  readonly lists?: Readonly<Record<string, ListTerms>>
  /** Those of `accept` that are an `either`, whose relations are there in their place. */
  readonly eithers?: readonly string[]
  readonly mayFollow?: readonly string[]
  readonly from?: string | readonly string[] | Readonly<Record<string, unknown>>
  readonly check?: (moment: object) => true | string | Promise<true | string>
  readonly to?: string
  readonly set?: Readonly<Record<string, unknown>>
  readonly link?: string
  readonly unlink?: string
  // biome-ignore lint/suspicious/noConfusingVoidType: an effect that refuses nothing returns nothing
  readonly effect?: (transaction: object) => Promise<void | string>
  readonly emit?: {
    readonly event: string
    readonly by?: string
    readonly with?: readonly string[]
    readonly changed?: readonly string[]
    readonly about?: string
  }
  readonly deprecated?: Deprecating
  readonly about?: string
}

/** The others are moves, or on the collection. */
export const isUsual = (action: string): action is Usual => ['read', 'create', 'update', 'delete'].includes(action)

export interface ListTerms {
  readonly min?: number
  /** A rule about each record to link. */
  readonly into?: RuleNode
}
export type WrittenAction = Omit<ActionDefinition, 'accept' | 'lists'> & {
  readonly accept?: readonly (string | ({ readonly list: string } & ListTerms))[]
}

export interface ServiceDefinition {
  readonly resources: Readonly<Record<string, Definition>>
  readonly accounts: AccountsDefinition
  readonly roles: Readonly<Record<string, RoleDefinition>>
  readonly tenantRoles?: Readonly<Record<string, Readonly<Record<string, RoleDefinition>>>>
  readonly versions?: Readonly<Record<string, 'current' | Deprecated>>
  readonly onWrite?: OnWrite
  readonly routes?: readonly ServiceRoute[]
  readonly reactions?: readonly ServiceReaction[]
  readonly schedules?: readonly ServiceSchedule[]
  readonly migrations?: readonly ServiceMigration[]
}
export type RoleDefinition = 'everything' | Readonly<Record<string, readonly string[] | string>>
export interface AccountsDefinition {
  readonly resource?: string
  readonly login: string
  readonly password: string
  readonly role: string
  readonly activeState: string
  readonly verified?: string
  readonly methods?: MethodsDefinition
  readonly requireVerified?: boolean
  readonly secondFactorFor?: readonly string[]
  readonly pages?: boolean
  readonly texts?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface MethodsDefinition {
  readonly magicLink?: boolean
  readonly totp?: boolean
  readonly passkeys?: boolean
  readonly issuers?: Readonly<Record<string, SignInIssuer>>
}

export const definitionOf = (service: Service<unknown>): ServiceDefinition => service as unknown as ServiceDefinition

/** Whether accounts can have sign-in methods besides their password and mails: records of `SignInMethod`. (contract 5.13.5) */
export const hasStoredMethods = ({ passkeys = false, totp = false, issuers }: MethodsDefinition = {}): boolean =>
  passkeys || totp || issuers !== undefined

export const accountName = (definition: ServiceDefinition): string => definition.accounts.resource ?? 'User'
