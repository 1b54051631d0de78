// `resource(…)`: the complete definition of a resource, checked by the compiler, inert until a service uses it.

import type { Fields, JsonObject } from '../field/field.ts'
import type { PluralOf } from '../naming/plural.ts'
import type { About, Action, Among, RuleOn } from './action.ts'
import type { Computed } from './computed.ts'
import { marked } from './copy.ts'
import type { Count, Sum, WithKept } from './kept-number.ts'
import type { Query } from './query.ts'
import type { Resource } from './row/any-resource.ts'
import type { Comparable, Named, Nullable, Stored, WithStored } from './row/row.ts'
import type { Quantity } from './row/value-kind.ts'
import type { WherePath } from './row/where.ts'
import type { AnyFilter, Filter } from './rule/filter.ts'
import { type AnyRule, nobody } from './rule/rule.ts'
import type { Exclusion, Key, Unique } from './unique.ts'

type Element<F extends Fields, N extends string> = F[N]['phantom']['value'] extends readonly (infer E)[] ? E : never
type Lists<F extends Fields> = {
  [N in Named<F, 'list'>]: Element<F, N> extends JsonObject ? `${N}.${keyof Element<F, N> & string}` : N
}[Named<F, 'list'>]
type FilterOn<F extends Fields, Key> = Key extends Comparable<F> ? Filter<'is', never> | TestOn<F> : TestOn<F>
type TestOn<F extends Fields> =
  | Filter<'contains', Lists<F>>
  | Filter<'isPresent', Nullable<F>>
  | Filter<'atLeast' | 'atMost', Ordered<F>>
type Ordered<F extends Fields> = { readonly names: Named<F, Quantity | 'timestamp'> }['names']

/** A compile error if there are two states. */
type OneState<States extends string, Each = States> = [States] extends [never]
  ? unknown
  : Each extends States
    ? [States] extends [Each]
      ? unknown
      : { readonly [N in States]: 'A resource has one state.' }
    : never

/** Fields that lists are sorted by. */
type Sort<F extends Fields> = Stored<F> | 'updatedAt' | `${Named<F, 'one' | 'object'>}.${string}`
/** Fields that are summed exactly. */
type Exact<F extends Fields> = Named<F, 'integer' | 'bigint' | 'decimal'> | `${Named<F, 'one' | 'object'>}.${string}`

/** Fields that lists are searched by. */
type Searched<F extends Fields> = Named<F, 'text'> | `${Named<F, 'many' | 'manyToMany'>}.${string}`
interface Summary<F extends Fields> {
  readonly by: readonly (Sort<F> | 'createdAt' | `${Named<F, 'many' | 'manyToMany'>}.${string}`)[]
  readonly of?: readonly Exact<F>[]
  readonly distinct?: readonly (Sort<F> | 'createdAt')[]
}

interface Members<F extends Fields> {
  readonly list: Named<F, 'many'>
  readonly account: string
  readonly role: string
  readonly while?: AnyRule
  readonly secondFactorIf?: Named<F, 'boolean'>
}

/** A move of the clock may mention nothing, of which nothing is inferred. */
type Mentioned<A> = { [K in keyof A]: unknown extends A[K] ? never : A[K] }

/** Fields that lists are filtered, sorted and summed by. */
type Listed<F extends Fields, Co, Su, C> = [keyof C] extends [never]
  ? WithKept<F, Co, Su>
  : WithStored<WithKept<F, Co, Su>, C>

type OnlyRead = 'What is computed is only read.'

export type { AnyResource, Resource, RowOf } from './row/any-resource.ts'

export interface Protection<out Allowed> {
  readonly read?: Allowed
  readonly write?: Allowed
  readonly filter?: Allowed
}
export interface Invariant<out Where> {
  readonly invariant: string
  readonly like: object
  readonly phantom: Where
}
/** After every write at least one record matches `like`; otherwise 422 with this message. */
export const atLeastOne = <const W extends object>(like: W, otherwise: string): Invariant<W> =>
  ({ invariant: otherwise, like }) as never

/** Defines a resource. `name` is singular and capitalised; `plural` is needed if English forms it without a rule. */
export function resource<
  const Name extends string,
  F extends Fields,
  A extends {},
  const P extends { readonly [field: string]: Protection<AnyRule> } = {},
  const Fi extends Readonly<Record<string, AnyFilter>> = {},
  const Vs extends { readonly [version: string]: { readonly [field: string]: string } } = {},
  const Plural extends string = never,
  C extends {} = {},
  Q extends {} = {},
  const K extends readonly Key<F>[] = [],
  Co extends {} = {},
  Su extends {} = {},
  const W extends readonly WherePath<Listed<F, Co, Su, C>>[] = [],
  const Sm extends Summary<Listed<F, Co, Su, C>> | null = null,
  const In extends Named<F, 'one'> | null = null,
  const Me extends Members<F> | null = null,
>(
  name: Name,
  definition: {
    /** The start of every id: `post_01J…`. */
    readonly prefix: string
    /** If the plural does not follow a rule: `shelves`, `people`. (contract 1.1.3) */
    readonly plural?: Plural
    /** Its name in GraphQL if another thing has its own there: `BillingSubscription`, with the plural by a rule. (contract 4.8.15) */
    readonly graphql?: Capitalize<string>
    /** The name of its table, if the resource had another name when it was made: nothing is renamed. (contract 18.1.8) */
    readonly table?: string
    /** The description in the documents; by default a sentence made from the name. */
    readonly about?: string
    readonly fields: F & OneState<Named<F, 'state'>>
    /**
     * Makes it a tenant. `list` holds a record per member, whose `account` and `role` name the account and its role
     * (`tenantRoles`); `while` restricts which of these records count. While the boolean field `secondFactorIf` of the tenant is
     * true, only sessions with a second factor are members. (contract 10.2, 10.2.23)
     */
    readonly members?: Me
    /** The relation to the record's tenant, or to a record inside one. It never changes. (contract 10.2) */
    readonly within?: In
    /**
     * Read-only fields derived from others: `{ as: text({ max: 9 }), from: ['title'], make: … }`. With `stored: true`, lists are
     * filtered, sorted, searched and summed by them. (contract 13.2.13)
     */
    readonly computed?: { readonly [K in keyof C]: Computed<Name, WithKept<F, Co, Su>, C[K]> }
    /** Restricts reading, writing or filtering by single fields further than the record. */
    readonly protect?: P & {
      readonly [N in keyof P]: N extends Stored<WithKept<F, Co, Su>>
        ? Protection<RuleOn<WithKept<F, Co, Su>, NoInfer<keyof A>>>
        : N extends keyof C
          ? {
              readonly read: RuleOn<WithKept<F, Co, Su>, NoInfer<keyof A>>
              readonly write?: OnlyRead
              readonly filter?: OnlyRead
            }
          : 'There is no such field.'
    }
    readonly filter?: { readonly [N in keyof Fi]: Among<FilterOn<Listed<F, Co, Su, C>, N>, Fi[N]> }
    /**
     * Fields that lists can be sorted by besides createdAt (default: newest first), also through references: `'assignee.name'`.
     * Unreadable values sort as null. `{ dueAt: { within: 'company' }, title: {} }` offers an order inside one company only, which
     * needs fewer indexes. (contract 12.2.1, 12.2.42)
     */
    readonly sort?:
      | readonly NoInfer<Sort<Listed<F, Co, Su, C>>>[]
      | { readonly [N in NoInfer<Sort<Listed<F, Co, Su, C>>>]?: { readonly within?: string } }
    /**
     * What `?where=…` and `where: { … }` may test: fields, and paths through relations such as `'assignee.name'` and
     * `'messages.createdAt'`. (contract 12.1)
     */
    readonly where?: W
    /**
     * The number of undeleted records in a list: `{ likes: 'likes' }` is the field `likesCount`. Stored, so it can be sorted
     * and filtered. (contract 13.2)
     */
    readonly counts?: Co & { readonly [K in keyof Co]: Count<F> }
    /** The sum of a field over a list: `{ total: 'lines.amount' }` is the field `total`. (contract 13.2) */
    readonly sums?: Su & { readonly [K in keyof Su]: Sum<F> }
    /**
     * Aggregates: `by` groups, `of` sums numbers, `distinct` counts different values. Paths go through references as in `sort`.
     * (contract 12.2.20)
     */
    readonly summary?: Sm
    /**
     * Texts searched by `?q=` and `search:`, most relevant first: own fields, and those of a list such as `'messages.body'`.
     * All words must occur in one record. (contract 12.2.10)
     */
    readonly search?: readonly NoInfer<Searched<WithStored<F, C>>>[]
    /** Texts found by any three letters or digits inside a word: `['email', 'sku']`. (contract 12.2.16) */
    readonly anywhere?: readonly NoInfer<Searched<WithStored<F, C>>>[]
    /** Earlier names of fields: `v1: { content: 'text' }` serves content as text in v1. The column is renamed. */
    readonly formerly?: Vs & {
      readonly [N in keyof Vs]: {
        readonly [K in keyof Vs[N]]: K extends Stored<WithKept<F, Co, Su>> | keyof C
          ? string
          : 'There is no such field.'
      }
    }
    readonly invariants?: readonly Invariant<About<F>>[]
    /**
     * Fields whose values are unique together: `[['invoice', 'position']]`. For a single field write `unique: true`, unless it is
     * conditional or ignores case: `{ fields: ['name'], caseless: true }`.
     */
    readonly unique?: readonly Unique<F>[]
    /**
     * Records that must not overlap: `{ fields: ['host'], overlap: ['startsAt', 'endsAt'] }`. An overlap is 409, like a value that
     * is taken. (contract 11.5)
     */
    readonly exclude?: readonly Exclusion<F>[]
    /**
     * Unique external names of a record: `[['externalId']]` is `/customers/by/external_id/42`. PUT there creates or replaces,
     * unless the key has a counter, or a `where`: `{ fields: ['code'], where: when({ status: 'ACTIVE' }) }`.
     */
    readonly keys?: K
    /** False: no create-many, no update-many. */
    readonly batch?: false
    /** True: GraphQL also has `userResult`, a union of the record and its foreseen failures. */
    readonly resultUnion?: true
    /** Replaces `NOT_FOUND` for this resource: `'COURSE_NOT_FOUND'`, "There is no such course." */
    readonly notFound?: Uppercase<string>
    /** Named lists with arguments: `GET /posts/trending`, `trendingPosts(…)`. */
    readonly queries?: { readonly [K in keyof Q]: Query<Name, Listed<F, Co, Su, C>, Q[K], NoInfer<keyof A | keyof Q>> }
    /** Every action; an unlisted one does not exist. */
    readonly actions: { readonly [K in keyof A]: Action<Name, WithKept<F, Co, Su>, A[K], K, NoInfer<keyof A>> }
  },
): Resource<
  Name,
  [Plural] extends [never] ? PluralOf<Uncapitalize<Name>> : Plural,
  WithKept<F, Co, Su>,
  Mentioned<A>,
  Fi,
  P,
  Vs,
  C,
  Q,
  K,
  W,
  Sm,
  In,
  Me
> {
  return marked({ name, ...definition, actions: withClock(definition.actions) }) as never
}

/** Without `allow`, only the clock makes a move that has `at`. */
function withClock(actions: object): object {
  const isByClock = (each: unknown) => typeof each === 'object' && each !== null && 'at' in each && !('allow' in each)
  // Anything else is reported when a service starts with it.
  if (typeof actions !== 'object' || actions === null || !Object.values(actions).some(isByClock)) return actions
  return Object.fromEntries(
    Object.entries(actions).map(([name, each]) => [name, isByClock(each) ? { ...each, allow: nobody } : each]),
  )
}
