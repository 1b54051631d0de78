// Rules: who may. Data, so that one rule tests a record, narrows a list inside the store, and prints itself.

import type { Id } from '../field/field.ts'
import type { Me, MeIn } from './comparison.ts'

/** What a definition holds. `Names` are the fields it mentions, `About` what it says of them, `Needs` what it asks. */
export interface Rule<out Names, out About, out Needs> {
  readonly rule: string
  readonly phantom: { readonly names: Names; readonly about: About; readonly needs: Needs }
}
export type AnyRule = Rule<unknown, unknown, unknown>
export interface RelationTo<out Name> {
  readonly relationTo: Name
}
export interface Anonymous {
  readonly anonymous: true
}
export interface Anyone extends Anonymous {
  readonly always: true
}
export interface Permitted<out Verb> {
  readonly permission: Verb
}
export interface Present {
  readonly present: true
}
export interface Absent {
  readonly present: false
}
/** A token of the record, which `hasToken` asks for. */
export interface ShownToken {
  readonly shownToken: true
}
/** A list of records, which `some` asks about. */
export interface RelationToMany {
  readonly relationToMany: true
}
/** What a rule asks of the records that a relation leads to: whether they have it, `service(…)` sees. */
export interface Follows<out Relation, out Names, out About, out Needs> {
  readonly follows: {
    readonly relation: Relation
    readonly names: Names
    readonly about: About
    readonly needs: Needs
  }
}
export type AnyFollows = Follows<string, unknown, unknown, unknown>
/** In `when`: this field has a value, whichever. */
export const present: Present = { present: true }
/** In `when`: this field has no value. */
export const absent: Absent = { present: false }

/** Accounts are the resource `User`. Elsewhere: `declare module 'duet-api' { interface Accounts { resource: 'Member' } }`. */
// biome-ignore lint/suspicious/noEmptyInterface: authors add to it by declaration merging
export interface Accounts {}
export type AccountName = Accounts extends { resource: infer Name extends string } ? Name : 'User'
/** Who is asking, as callbacks in a definition see it. */
export interface Caller {
  readonly id: Id<AccountName>
  readonly role: string
}

/** The same rule as the machine reads it. */
export type RuleNode =
  | { readonly rule: 'anyone' | 'nobody' | 'signedIn' | 'self' }
  | { readonly rule: 'role'; readonly roles: readonly string[] }
  | { readonly rule: 'own' | 'readable'; readonly relation: string }
  | { readonly rule: 'hasToken'; readonly field: string }
  | { readonly rule: 'through'; readonly relation: string; readonly of: RuleNode }
  | { readonly rule: 'some'; readonly list: string; readonly of: RuleNode; readonly member?: Membership }
  /** The rule holds, and a key of a tenant reaches only what is in it: by tenant the relation that names it, null for itself. */
  | { readonly rule: 'confined'; readonly to: Readonly<Record<string, string | null>>; readonly of: RuleNode }
  | { readonly rule: 'not'; readonly of: RuleNode }
  | { readonly rule: 'when'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly rule: 'may'; readonly verb: string; readonly mine: RuleNode | null }
  | { readonly rule: 'anyOf' | 'allOf'; readonly rules: readonly RuleNode[] }
/** What `some` of a tenant's list of members stands for: it is of accounts, and keys of tenants are members without standing there. */
export interface Membership {
  readonly tenant: string
  /** The roles that will do; null for each. */
  readonly roles: readonly string[] | null
  /** What the roles are granted, such as `tickets:edit`; absent where a rule names them. */
  readonly granted?: string
  /** The tenant inside of this one whose members have to be members here: its keys are. */
  readonly under?: string
}
/** The same before it is known what tenants are: `member` and `acrossTenants` stand for other rules. (contract 10.2) */
export type AuthorRule =
  | RuleNode
  | { readonly rule: 'member'; readonly relation: string | null; readonly roles: readonly string[] }
  | { readonly rule: 'acrossTenants'; readonly of: AuthorRule }
export const nodeOf = (rule: AnyRule): RuleNode => rule as unknown as RuleNode
const rule = (node: AuthorRule): never => node as never

/** Everybody, signed in or not. Only what anyone may read is cached publicly. (contract 4.11.1) */
export const anyone: Rule<never, {}, Anyone> = rule({ rule: 'anyone' })
/** Nobody from outside: a move that only effects make. */
export const nobody: Rule<never, {}, never> = rule({ rule: 'nobody' })
/** Whoever shows a valid credential; nobody else, who gets UNAUTHENTICATED. */
export const signedIn: Rule<never, {}, never> = rule({ rule: 'signedIn' })
/** The record is the actor's own account. */
export const self: Rule<never, {}, never> = rule({ rule: 'self' })
/** The record belongs to the actor: this relation names the account. */
export const own = <const N extends string>(
  relation: N,
): Rule<N, { readonly [K in N]: RelationTo<AccountName> }, never> => rule({ rule: 'own', relation })
/** The request shows this token of the record, as its access code, whoever sends it. (contract 10.1.14) */
export const hasToken = <const N extends string>(field: N): Rule<N, { readonly [K in N]: ShownToken }, Anonymous> =>
  rule({ rule: 'hasToken', field })
/** As readable as the record that this relation names. */
export const readable = <const N extends string>(
  relation: N,
): Rule<N, { readonly [K in N]: RelationTo<never> }, Anonymous> => rule({ rule: 'readable', relation })
/** The record that this relation names exists, and the rule holds for it: inside, `own`, `self` and `when` are about that record. */
export const through = <const N extends string, R extends AnyRule>(
  relation: N,
  of: R,
): Rule<N, { readonly [K in N]: RelationTo<never> }, Followed<N, R['phantom']>> =>
  rule({ rule: 'through', relation, of: nodeOf(of) })
/** The rule holds for at least one record of this list. */
export const some = <const N extends string, R extends AnyRule>(
  list: N,
  of: R,
): Rule<N, { readonly [K in N]: RelationToMany }, Followed<N, R['phantom']>> =>
  rule({ rule: 'some', list, of: nodeOf(of) })
type Followed<N extends string, Inside extends AnyRule['phantom']> =
  | LetsIn<Inside['needs']>
  | Follows<N, Inside['names'], Inside['about'], Inside['needs']>
type LetsIn<Needs> = [Extract<Needs, Anonymous>] extends [never] ? never : Anonymous
/**
 * A member of the tenant that this relation names, or of the record itself, with one of these roles if any are said.
 * (contract 10.2.3)
 */
export function member(): Rule<never, {}, never>
export function member<const N extends string>(
  relation: N,
  ...roles: readonly string[]
): Rule<N, { readonly [K in N]: RelationTo<never> }, never>
export function member(relation: string | null = null, ...roles: readonly string[]): never {
  return rule({ rule: 'member', relation, roles })
}
/** Whoever this rule lets in, member of the record's tenant or not. Stands by itself, or in an `anyOf`. (contract 10.2.5) */
export const acrossTenants = <const N, const B, const Q>(of: Rule<N, B, Q>): Rule<N, B, Q> =>
  rule({ rule: 'acrossTenants', of: nodeOf(of) })
/** The rule does not hold. What asks for somebody who is signed in does not hold for nobody: so this lets in everybody else. */
export const not = <N, B, Q>(of: Rule<N, B, Q>): Rule<N, B, Anonymous | Exclude<Q, Anonymous>> =>
  rule({ rule: 'not', of: nodeOf(of) })
/**
 * The record has these values. `present` and `absent` ask whether there is any; `oneOf`, `atLeast`, `before` and the like
 * compare it with a value, with `now`, with another field of it, or with a field of the actor's own account. A comparison
 * with nothing does not hold.
 */
export const when = <const W extends object>(values: W): Rule<keyof W, W, Anonymous | MeIn<W>> =>
  rule({ rule: 'when', values: values as never })
/** Holds a permission. With a rule beside it: `…_own` where that rule holds, `…_any` everywhere. */
export function may<const V extends string>(verb: V): Rule<never, {}, Permitted<V>>
export function may<const V extends string, N, B, Q extends AnyFollows | Me<string> = never>(
  verb: V,
  mine: Rule<N, B, Q>,
): Rule<N, B, Permitted<`${V}_own` | `${V}_any`> | Q>
export function may(verb: string, mine?: AnyRule): never {
  return rule({ rule: 'may', verb, mine: mine === undefined ? null : nodeOf(mine) })
}
/** At least one of these rules holds. A list then has the records for which any of them does. */
export const anyOf = <R extends readonly AnyRule[]>(...rules: R): R[number] =>
  rule({ rule: 'anyOf', rules: rules.map(nodeOf) })
/** Each of these rules holds. */
export const allOf = <R extends readonly AnyRule[]>(
  ...rules: R
): Rule<R[number]['phantom']['names'], R[number]['phantom']['about'], EveryNeed<R>> =>
  rule({ rule: 'allOf', rules: rules.map(nodeOf) })
type EveryNeed<R extends readonly AnyRule[]> = {
  [I in keyof R]: [Extract<R[I]['phantom']['needs'], Anonymous>] extends [never] ? false : true
}[number] extends true
  ? Anonymous | Exclude<R[number]['phantom']['needs'], Anonymous>
  : Exclude<R[number]['phantom']['needs'], Anonymous>
