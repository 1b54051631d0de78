// `resource(…)`: everything there is to say about a thing, checked by the compiler, inert until a service is made of it.

import type { Fields, JsonObject } from '../field/field.ts'
import type { About, Action, Among, RuleOn } from './action.ts'
import type { Resource } from './any-resource.ts'
import type { Computed } from './computed.ts'
import { marked } from './copy.ts'
import type { AnyFilter, Filter } from './filter.ts'
import type { Count, Sum, WithKept } from './kept-number.ts'
import type { Query } from './query.ts'
import type { Named, Nullable, Stored } from './row.ts'
import type { AnyRule } from './rule.ts'
import type { KeyField, Unique } from './unique.ts'
import type { Quantity } from './value-kind.ts'
import type { WherePath } from './where.ts'

type Element<F extends Fields, N extends string> = F[N]['phantom']['value'] extends readonly (infer E)[] ? E : never
type Lists<F extends Fields> = {
  [N in Named<F, 'list'>]: Element<F, N> extends JsonObject ? `${N}.${keyof Element<F, N> & string}` : N
}[Named<F, 'list'>]
type FilterOn<F extends Fields, Key> = Key extends Stored<F> ? Filter<'is', never> | TestOn<F> : TestOn<F>
type TestOn<F extends Fields> =
  | Filter<'contains', Lists<F>>
  | Filter<'isPresent', Nullable<F>>
  | Filter<'atLeast' | 'atMost', Ordered<F>>
type Ordered<F extends Fields> = { readonly names: Named<F, Quantity | 'timestamp'> }['names']

/** Two states are answered by a sentence. `Each` runs through the names, and is all of them where there is but one. */
type OneState<States extends string, Each = States> = [States] extends [never]
  ? unknown
  : Each extends States
    ? [States] extends [Each]
      ? unknown
      : { readonly [N in States]: 'A resource has one state.' }
    : never

/** What lists are sorted by. */
type Sort<F extends Fields> = Stored<F> | 'updatedAt' | `${Named<F, 'one'>}.${string}`
/** What is added up exactly. */
type Exact<F extends Fields> = Named<F, 'integer' | 'bigint' | 'decimal'> | `${Named<F, 'one'>}.${string}`

/** What lists are searched by. */
type Searched<F extends Fields> = Named<F, 'text'> | `${Named<F, 'many' | 'manyToMany'>}.${string}`
/** What many records come to. */
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
}

type OnlyRead = 'What is computed is only read.'

export type { AnyResource, Resource, RowOf } from './any-resource.ts'

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
/** At least one record like this remains after every write; otherwise 422 with this sentence. */
export const atLeastOne = <const W extends object>(like: W, otherwise: string): Invariant<W> =>
  ({ invariant: otherwise, like }) as never

/** Defines a resource. `name` is singular and capitalised; the plural adds an s unless `plural` says otherwise. */
export function resource<
  const Name extends string,
  F extends Fields,
  A extends {},
  const P extends { readonly [field: string]: Protection<AnyRule> } = {},
  const Fi extends Readonly<Record<string, AnyFilter>> = {},
  const Vs extends { readonly [version: string]: { readonly [field: string]: string } } = {},
  const Plural extends string = `${Uncapitalize<Name>}s`,
  C extends {} = {},
  Q extends {} = {},
  const K extends readonly (readonly KeyField<F>[])[] = [],
  Co extends {} = {},
  Su extends {} = {},
  const W extends readonly WherePath<WithKept<F, Co, Su>>[] = [],
  const Sm extends Summary<WithKept<F, Co, Su>> | null = null,
  const In extends Named<F, 'one'> | null = null,
  const Me extends Members<F> | null = null,
>(
  name: Name,
  definition: {
    /** Begins every id: `post_01J…`. */
    readonly prefix: string
    /** When adding an s is not enough. */
    readonly plural?: Plural
    /** What clients are told that it is; otherwise a sentence made of its name. */
    readonly about?: string
    readonly fields: F & OneState<Named<F, 'state'>>
    /**
     * A tenant: who are members of a record. `list` holds a record for each, whose `account` and `role` say who it is and what they
     * may do (`tenantRoles`); `while` is asked of it too. (contract 10.2)
     */
    readonly members?: Me
    /** The relation to the tenant that a record is in, or to a record that is in one. It never changes. (contract 10.2) */
    readonly within?: In
    /** Read-only fields that are worked out from others: `{ as: text({ max: 9 }), from: ['title'], make: … }`. */
    readonly computed?: { readonly [K in keyof C]: Computed<Name, F, C[K]> }
    /** Who may read, write or filter by single fields, where that is fewer than may read or write the record. */
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
    readonly filter?: { readonly [N in keyof Fi]: Among<FilterOn<WithKept<F, Co, Su>, N>, Fi[N]> }
    /**
     * Besides createdAt, by which every list can be sorted and, newest first, is: fields, and by references those of other
     * records, such as `'assignee.name'`. What a reader may not see sorts as null. (contract 12.2.1)
     */
    readonly sort?: readonly NoInfer<Sort<WithKept<F, Co, Su>>>[]
    /**
     * What clients may ask for in conditions, `?where=…` and `where: { … }`: fields of the record, and paths through relations, such
     * as `'assignee.name'` and `'messages.createdAt'`. (contract 12.1)
     */
    readonly where?: W
    /**
     * How many living records a list has: `{ likes: 'likes' }` is the field `likesCount`. It is kept in the record by whatever
     * changes the list, so that it can be sorted and filtered by. (contract 13.2)
     */
    readonly counts?: Co & { readonly [K in keyof Co]: Count<F> }
    /** What a field of a list's living records adds up to: `{ total: 'lines.amount' }` is the field `total`. (contract 13.2) */
    readonly sums?: Su & { readonly [K in keyof Su]: Sum<F> }
    /**
     * What may be asked of many records at once: `by` says what they are grouped by, `of` which numbers are added up, `distinct` of
     * what the different values are counted. Paths go through references, as in `sort`. (contract 12.2.20)
     */
    readonly summary?: Sm
    /**
     * Texts that lists are searched by, `?q=` and `search:`, those that weigh most first: own fields, and those of a list's
     * records, such as `'messages.body'`. All words must occur in one record; what a reader may not read is not found.
     * (contract 12.2.10)
     */
    readonly search?: readonly NoInfer<Searched<F>>[]
    /** Texts in which three letters or digits in the midst of a word are found as well: `['email', 'sku']`. (contract 12.2.16) */
    readonly anywhere?: readonly NoInfer<Searched<F>>[]
    /** Names that fields had: `v1: { content: 'text' }` says that content was called text in v1. Its column is renamed. */
    readonly formerly?: Vs & {
      readonly [N in keyof Vs]: {
        readonly [K in keyof Vs[N]]: K extends Stored<WithKept<F, Co, Su>> | keyof C
          ? string
          : 'There is no such field.'
      }
    }
    readonly invariants?: readonly Invariant<About<F>>[]
    /**
     * Values that no two records have together: `[['invoice', 'position']]`. A single field may say `unique: true` instead,
     * unless it is so only of some records, or whatever the case: `{ fields: ['name'], caseless: true }`.
     */
    readonly unique?: readonly Unique<F>[]
    /**
     * Names that others have for a record, each unique: `[['externalId']]` is `/customers/by/external_id/42`. PUT there creates
     * or replaces.
     */
    readonly keys?: K
    /** False: no create-many, no update-many. */
    readonly batch?: false
    /** True: GraphQL also has `userResult`, a union of the record and its foreseen failures. */
    readonly resultUnion?: true
    /**
     * The code of a missing or hidden record in place of `NOT_FOUND`: `'COURSE_NOT_FOUND'`. It is the service's own, is
     * always 404, and that of no other resource; its sentence is then "There is no such course."
     */
    readonly notFound?: Uppercase<string>
    /** Lists of one's own, with a name and arguments: `GET /posts/trending`, `trendingPosts(…)`. */
    readonly queries?: { readonly [K in keyof Q]: Query<Name, WithKept<F, Co, Su>, Q[K], NoInfer<keyof A | keyof Q>> }
    /** All there is. What is not listed does not exist. */
    readonly actions: { readonly [K in keyof A]: Action<Name, WithKept<F, Co, Su>, A[K], K, NoInfer<keyof A>> }
  },
): Resource<Name, Plural, WithKept<F, Co, Su>, A, Fi, P, Vs, C, Q, K, W, Sm, In, Me> {
  return marked({ name, ...definition }) as never
}
