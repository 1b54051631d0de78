// Rules as data, which can test a record, narrow a list and document themselves.

import type { Id } from '../../field/field.ts'
import { aboveList } from '../../naming/casing.ts'
import type { Me, MeIn } from './comparison.ts'

/** A rule in a definition. `Names` are the fields it mentions, `About` its tests of them, `Needs` what it requires. */
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
export interface ShownToken {
  readonly shownToken: true
}
export interface RelationToMany {
  readonly relationToMany: true
}
/** What a rule requires of related records; checked by `service(…)`. */
export interface Follows<out Relation, out Names, out About, out Needs> {
  readonly follows: {
    readonly relation: Relation
    readonly names: Names
    readonly about: About
    readonly needs: Needs
  }
}
export type AnyFollows = Follows<string, unknown, unknown, unknown>
/** In `when`: this field has a value. */
export const present: Present = { present: true }
/** In `when`: this field has no value. */
export const absent: Absent = { present: false }

/** Accounts are the resource `User`. Elsewhere: `declare module 'duet-api' { interface Accounts { resource: 'Member' } }`. */
// biome-ignore lint/suspicious/noEmptyInterface: authors add to it by declaration merging
export interface Accounts {}
export type AccountName = Accounts extends { resource: infer Name extends string } ? Name : 'User'
/** The caller, as callbacks in a definition see it. */
export interface CallerAccount {
  readonly id: Id<AccountName>
  readonly role: string
}

export type RuleNode =
  | { readonly rule: 'anyone' | 'nobody' | 'signedIn' | 'self' }
  | { readonly rule: 'role'; readonly roles: readonly string[] }
  | { readonly rule: 'fresh'; readonly seconds: number }
  | { readonly rule: 'own' | 'readable'; readonly relation: string }
  | { readonly rule: 'hasToken'; readonly field: string }
  | { readonly rule: 'through'; readonly relation: string; readonly of: RuleNode }
  | { readonly rule: 'some'; readonly list: string; readonly of: RuleNode; readonly member?: Membership }
  /**
   * The rule holds, and a tenant's key is limited to its tenant: per tenant, the relation that names it; null: the tenant
   * itself.
   */
  | { readonly rule: 'confined'; readonly to: Readonly<Record<string, string | null>>; readonly of: RuleNode }
  | { readonly rule: 'not'; readonly of: RuleNode }
  | { readonly rule: 'when'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly rule: 'may'; readonly verb: string; readonly mine: RuleNode | null }
  | { readonly rule: 'anyOf' | 'allOf'; readonly rules: readonly RuleNode[] }
/** Marks a `some` that stands for membership: the tenant's keys are members without being in the list. */
export interface Membership {
  readonly tenant: string
  /** Null: any role. */
  readonly roles: readonly string[] | null
  /** The permission the roles must have; absent if the rule names roles. */
  readonly granted?: string
  /** The tenant inside this one whose members must be members here; its keys count as members. */
  readonly under?: string
  /** The tenant's boolean field that requires a second factor of its members. (contract 10.2.23) */
  readonly secondFactorIf?: string
}
/** A rule before tenants are resolved: `member` and `acrossTenants` are replaced by other rules. (contract 10.2) */
export type AuthorRule =
  | RuleNode
  | { readonly rule: 'member'; readonly relation: string | null; readonly roles: readonly string[] }
  | { readonly rule: 'acrossTenants'; readonly of: AuthorRule }
export const nodeOf = (rule: AnyRule): RuleNode => rule as unknown as RuleNode
const rule = (node: AuthorRule): never => node as never

/** Everyone, signed in or not. Only what anyone may read is cached publicly. (contract 4.11.1) */
export const anyone: Rule<never, {}, Anyone> = rule({ rule: 'anyone' })
/** No caller: only effects may make this move. */
export const nobody: Rule<never, {}, never> = rule({ rule: 'nobody' })
/** Any caller with a valid credential; otherwise UNAUTHENTICATED. */
export const signedIn: Rule<never, {}, never> = rule({ rule: 'signedIn' })
/**
 * The caller proved who they are at most this long ago (1 to 1,440 minutes); otherwise REAUTHENTICATION_REQUIRED. In `allow` of
 * writes and `access` of routes, alone or in `allOf`. (contract 5.10.3)
 */
export const fresh = ({ minutes }: { readonly minutes: number }): Rule<never, {}, never> =>
  rule({ rule: 'fresh', seconds: minutes * 60 })
/** The record is the actor's own account. */
export const self: Rule<never, {}, never> = rule({ rule: 'self' })
/** The record belongs to the actor: this relation names the account. */
export const own = <const N extends string>(
  relation: N,
): Rule<N, { readonly [K in N]: RelationTo<AccountName> }, never> => rule({ rule: 'own', relation })
/** The access code of the request is this token of the record; no sign-in needed. (contract 10.1.14) */
export const hasToken = <const N extends string>(field: N): Rule<N, { readonly [K in N]: ShownToken }, Anonymous> =>
  rule({ rule: 'hasToken', field })
/** As readable as the record this relation names. */
export const readable = <const N extends string>(
  relation: N,
): Rule<N, { readonly [K in N]: RelationTo<never> }, Anonymous> => rule({ rule: 'readable', relation })
/**
 * The rule holds for the record this relation names; a missing record fails. Inside, `own`, `self` and `when` concern that record.
 */
export const through = <const N extends string, R extends AnyRule>(
  relation: N,
  of: R,
): Rule<N, { readonly [K in N]: RelationTo<never> }, Followed<N, R['phantom']>> =>
  rule({ rule: 'through', relation, of: nodeOf(of) })
/**
 * The rule holds for this record, or for one above it in the tree of this relation. Inside, rules concern that record. (contract
 * 10.3.5)
 */
export const above = <const N extends string, R extends AnyRule>(
  parent: N,
  of: R,
): Rule<
  N | R['phantom']['names'],
  { readonly [K in N]: RelationTo<never> } & R['phantom']['about'],
  R['phantom']['needs']
> => {
  const rules = [of, through(parent, some(aboveList(parent), of))]
  return rule(joined('anyOf', rules))
}
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
/** A member of the tenant this relation names, or of the record itself; with roles, one who has one of them. (contract 10.2.3) */
export function member(): Rule<never, {}, never>
export function member<const N extends string>(
  relation: N,
  ...roles: readonly string[]
): Rule<N, { readonly [K in N]: RelationTo<never> }, never>
export function member(relation: string | null = null, ...roles: readonly string[]): never {
  return rule({ rule: 'member', relation, roles })
}
/**
 * Admits callers by this rule even if they are not members of the record's tenant. Stands alone, or in an `anyOf`. (contract
 * 10.2.5)
 */
export const acrossTenants = <R extends AnyRule>(of: R): R => rule({ rule: 'acrossTenants', of: nodeOf(of) })
/** The rule does not hold. A rule that needs a signed-in caller fails for anonymous ones, so its negation admits them. */
export const not = <R extends AnyRule>(of: R): Negated<R> => rule({ rule: 'not', of: nodeOf(of) })
/** Of each rule that `anyOf` unites. */
type Negated<R extends AnyRule> = R extends AnyRule
  ? Rule<R['phantom']['names'], R['phantom']['about'], Anonymous | Exclude<R['phantom']['needs'], Anonymous>>
  : never
/**
 * The record has these values: `present`, `absent`, `oneOf`, `atLeast`, `before` and others; compared with a value, `now`,
 * another field, or a field of the account. A comparison with a missing value fails.
 */
export const when = <const W extends object>(values: W): Rule<keyof W, W, Anonymous | MeIn<W>> =>
  rule({ rule: 'when', values: values as never })
/** Holds a permission. With a rule: `…_own` if the rule holds, `…_any` for every record. */
export function may<const V extends string>(verb: V): Rule<never, {}, Permitted<V>>
export function may<const V extends string, R extends Rule<unknown, unknown, AnyFollows | Me<string>>>(
  verb: V,
  mine: R,
): Rule<R['phantom']['names'], R['phantom']['about'], Permitted<`${V}_own` | `${V}_any`> | R['phantom']['needs']>
export function may(verb: string, mine?: AnyRule): never {
  return rule({ rule: 'may', verb, mine: mine === undefined ? null : nodeOf(mine) })
}
/** At least one rule holds. A list contains the records for which any holds. */
export const anyOf = <R extends readonly AnyRule[]>(...rules: R): R[number] => rule(joined('anyOf', rules))
/** Every rule holds. */
export const allOf = <R extends readonly AnyRule[]>(
  ...rules: R
): Rule<R[number]['phantom']['names'], R[number]['phantom']['about'], EveryNeed<R>> => rule(joined('allOf', rules))
/** Flattens nested rules of the same kind, so that an inner `anyOf` reads like the outer one. */
function joined(kind: 'anyOf' | 'allOf', rules: readonly AnyRule[]): RuleNode {
  const nodes = rules.map(nodeOf).flatMap((node) => (node.rule === kind ? node.rules : node))
  return nodes.length === 1 ? nodes[0]! : { rule: kind, rules: nodes }
}
type EveryNeed<R extends readonly AnyRule[]> = {
  [I in keyof R]: [Extract<R[I]['phantom']['needs'], Anonymous>] extends [never] ? false : true
}[number] extends true
  ? Anonymous | Exclude<R[number]['phantom']['needs'], Anonymous>
  : Exclude<R[number]['phantom']['needs'], Anonymous>
