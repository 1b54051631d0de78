// `service(…)`: the resources, the accounts that sign in, the permissions of each role, and the versions served.

import type { AnyField, Fields } from '../field/field.ts'
import { marked } from './copy.ts'
import type { AnyResource } from './resource.ts'
import type { Accounts, Permitted, Rule } from './rule/rule.ts'
import type { Misled, Unaccounted } from './rule-type.ts'
import type { SoundTexts } from './sign-in-texts.ts'
import type { OnWrite } from './write-hook.ts'

type Resources = { readonly [name: string]: AnyResource }
/** `Versions` is never if the definition names none: then v1 is the only one. */
export interface Service<out All, out Versions = unknown, out Tenants = unknown> {
  readonly resources: All
  readonly phantom: { readonly versions: Versions; readonly tenants: Tenants }
}
type RolesIn<Tenants> = { [N in keyof Tenants]: keyof Tenants[N] }[keyof Tenants] & string
export interface TenantNames<out Names, out Roles> {
  readonly names: Names
  readonly roles: Roles
}

/** A compile error for each relation to an unknown resource; otherwise `never`. */
type Astray<X extends AnyResource, All> = {
  [N in keyof X['fields'] & string]: [X['fields'][N]['target']] extends [never]
    ? never
    : Lost<X, N, X['fields'][N], All>
}[keyof X['fields'] & string]
type Lost<X extends AnyResource, N extends string, F extends AnyField, All> = F['target'] extends keyof All
  ? [F['by']] extends [never]
    ? never
    : Leads<All[F['target']], F['by'], F['kind'] extends 'many' ? 'one' : 'manyToMany', X['name']> extends true
      ? never
      : `${X['name']}.${N} needs ${F['target']}.${F['by']} to lead back to ${X['name']}, and it does not.`
  : `${X['name']}.${N} refers to ${Exclude<F['target'], keyof All>}, which is not in this service.`
type Leads<To, By extends string, Kind, Back> = To extends {
  readonly fields: { readonly [N in By]: { readonly kind: Kind; readonly target: Back } }
}
  ? true
  : false
type Sound<All extends Resources> = {
  readonly [N in keyof All]: All[N]['name'] extends N
    ? [Astray<All[N], All>] extends [never]
      ? [Untrue<All[N], All>] extends [never]
        ? unknown
        : Untrue<All[N], All>
      : Astray<All[N], All>
    : `This is ${All[N]['name']}.`
}

type RulesIn<P> = { [N in keyof P]: P[N][keyof P[N]] }[keyof P]
type NeedsOf<R> = R extends Rule<unknown, unknown, infer Needs> ? Needs : never
type StatedIn<X extends AnyResource> =
  | X['actions'][keyof X['actions']]
  | X['queries'][keyof X['queries']]
  | NeedsOf<RulesIn<X['protect']>>
type Untrue<X extends AnyResource, All> =
  | Misled<X, All, FieldsOf<AccountOf<All>>, StatedIn<X>>
  | Unaccounted<X, FieldsOf<AccountOf<All>>, StatedIn<X>>
type FieldsOf<X> = X extends { readonly fields: infer F extends Fields } ? F : {}
type VerbsOf<X extends AnyResource> =
  | Extract<StatedIn<X>, Permitted<string>>['permission']
  /** Keys and webhooks can belong to tenants, whose roles then need these permissions. */
  | (X['name'] extends 'ApiKey' ? 'create' | 'read' | 'delete' : never)
  | (X['name'] extends 'Webhook' ? 'create' | 'read' | 'edit' | 'delete' : never)
export type Grants<All extends Resources, Role = string> = {
  readonly [N in keyof All as All[N]['plural']]?: readonly VerbsOf<All[N]>[]
} & { readonly includes?: Role }
type Crossing<All> = { readonly acrossTenants?: readonly (keyof All & string)[] }
type Granted<All extends Resources, Role> = 'everything' | (Grants<All, Role> & Crossing<All>)

type AccountOf<All> = Accounts extends { resource: infer Name } ? All[Name & keyof All] : All['User' & keyof All]
type ValueIn<X, N> = X extends { readonly fields: infer F extends Fields }
  ? N extends keyof F
    ? F[N]['phantom']['value']
    : never
  : never
type NamesIn<X, Kind extends string> = X extends { readonly fields: infer F extends Fields }
  ? { [N in keyof F]: F[N]['kind'] extends Kind ? N : never }[keyof F]
  : never
/** Accounts not called `User` are named here too, to be known at run time. */
type NamedAccounts = Accounts extends { resource: infer Name }
  ? { readonly resource: Name }
  : { readonly resource?: 'User' }
type StateIn<X> = ValueIn<X, NamesIn<X, 'state'>>
type VersionsIn<All extends Resources> = { [N in keyof All]: keyof All[N]['versions'] }[keyof All] & string

/** How accounts sign in besides passwords. `{}`: by password alone. */
export interface SignInMethods {
  /** By a link that is mailed to the address. (contract 5.12) */
  readonly magicLink?: boolean
  /** By a code of an authenticator app besides another method. Needs `DATA_KEY`. (contract 5.14) */
  readonly totp?: boolean
  /** By a key in a device, which verifies its user. Needs the package `@simplewebauthn/server`. (contract 5.15) */
  readonly passkeys?: boolean
  /** At OpenID Connect issuers, by the names of their endpoints, such as `google`. (contract 5.16) */
  readonly issuers?: Readonly<Record<string, SignInIssuer>>
}

export interface SignInIssuer {
  readonly url: string
  readonly clientId: string
}

export interface ServiceRoute {
  readonly method: string
  readonly path: string
}
export interface ServiceReaction {
  readonly resource: string
  readonly event: string
  readonly name: string
}

export interface ServiceSchedule {
  readonly schedule: string
}

export interface ServiceMigration {
  readonly migration: string
}

/** Makes a service of resources, accounts, roles and versions. Inert: `main`, `start` or `createHandler` checks and runs it. */
export function service<
  All extends Resources,
  const RoleField extends NamesIn<AccountOf<All>, 'choice'>,
  const Versions extends { readonly [version: `v${number}`]: Deprecated | 'current' } = never,
  Tenants extends {} = {},
  const Texts extends {} = {},
>(definition: {
  readonly resources: All & Sound<All>
  /** The account's fields for login, password, role, and the state in which it may sign in. */
  readonly accounts: NamedAccounts & {
    readonly login: NamesIn<AccountOf<All>, 'text'>
    readonly password: NamesIn<AccountOf<All>, 'password'>
    readonly role: RoleField
    readonly activeState: StateIn<AccountOf<All>>
    /** True once the login address is verified. */
    readonly verified?: NamesIn<AccountOf<All>, 'boolean'>
    /** More ways to sign in, changes of address and password, proof of addresses. (contract 5.10, 5.11) */
    readonly methods?: SignInMethods
    /** Accounts get tokens only once their address is proved. Needs `methods` and `verified`. (contract 5.11.6) */
    readonly requireVerified?: boolean
    /** Roles that sign in with a second factor only; without one, they set it up first. Needs one in `methods`. (contract 5.13.8) */
    readonly secondFactorFor?: readonly (ValueIn<AccountOf<All>, RoleField> & string)[]
    /** Pages at `/auth/pages/` on which browsers sign in, reset passwords and confirm addresses. Needs `methods`. (contract 5.17) */
    readonly pages?: boolean
    /** Sentences of mails and pages by language, such as `de`, and by the keys of `SignInTexts`. The first language is that of mails. (contract 5.17.2) */
    readonly texts?: Texts & SoundTexts<Texts>
  }
  /** The permissions of each role. Every role is listed; an unknown permission does not compile. */
  readonly roles: {
    readonly [Role in ValueIn<AccountOf<All>, RoleField> & string]: Granted<All, ValueIn<AccountOf<All>, RoleField>>
  }
  /** The permissions of each role inside a tenant, for the tenant and everything within it. (contract 10.2) */
  readonly tenantRoles?: {
    readonly [N in keyof Tenants]: { readonly [R in keyof Tenants[N]]: 'everything' | Grants<All, string> }
  } & { readonly [N in Exclude<keyof Tenants, keyof All>]: 'There is no such resource.' }
  /**
   * Runs in their transaction for each record that actions, effects and `finish` write; not for dependants deleted. Returning a
   * message answers 422. Every write then has its own transaction. (contract 13.5)
   */
  readonly onWrite?: OnWrite
  /** Custom routes, made with `route(…)`. (contract 5.5) */
  readonly routes?: readonly ServiceRoute[]
  /** Reactions of the service to events, made with `on(…)`. */
  readonly reactions?: readonly ServiceReaction[]
  /** Work of the service at certain times, made with `every(…)`. */
  readonly schedules?: readonly ServiceSchedule[]
  /** Changes of stored values, made with `migration(…)`. */
  readonly migrations?: readonly ServiceMigration[]
  /** The last is current; older ones are deprecated. */
  readonly versions?: Versions & { readonly [V in VersionsIn<All>]: Deprecated } & {
    readonly [V in keyof Versions]: V extends `v${number}` ? unknown : 'A version is called v and a number.'
  }
}): Service<All, Versions, TenantNames<keyof Tenants & string, RolesIn<Tenants>>> {
  return marked({ ...definition }) as never
}
/** ISO dates: when this version was superseded, and until when it works. (contract 9.1.1) */
export interface Deprecated {
  readonly deprecated: `${number}-${number}-${number}`
  readonly sunset: `${number}-${number}-${number}`
}
