// What a client asks of many records at once, and what comes back. Nothing here runs.

import type { AnyResource } from '../resource/language/any-resource.ts'
import type { List, ListQuery, Page } from './query.ts'
import type { Answered } from './record.ts'

/** What a definition says of its summary; never where it says nothing. */
type Part<X extends AnyResource, P extends 'by' | 'of' | 'distinct'> = X['summary'] extends {
  readonly [N in P]: readonly (infer Path extends string)[]
}
  ? Path
  : never

/** The summary of a resource that declares one: `client.orders.summary.list({ groupBy: ['createdAt:month'] })`. */
export type Summarised<X extends AnyResource, V, All> = [Part<X, 'by'>] extends [never]
  ? unknown
  : { readonly summary: SummaryList<X, V, All> }

interface SummaryList<X extends AnyResource, V, All> {
  /** All groups, fetched a page at a time as they are asked for. */
  list<const G extends GroupName<X> = never>(query?: SummaryQuery<X, V, All, G>): List<Group<X, G>>
  page<const G extends GroupName<X> = never>(
    query?: SummaryQuery<X, V, All, G> & { readonly cursor?: string | null },
  ): Promise<Page<Group<X, G>>>
}

interface SummaryQuery<X extends AnyResource, V, All, G> extends Omit<ListQuery<X, V, never, All>, 'sort' | 'fields'> {
  /** At most four. A moment or a day is grouped by its day, or by the unit behind a colon. (contract 12.2.21) */
  readonly groupBy?: readonly G[]
  /** Of calendar units, such as `Europe/Berlin`; UTC unless said. */
  readonly timeZone?: string
  /** `'-sumTotal'`, `'count'`, or what it is grouped by. */
  readonly sort?: string | readonly string[]
}

type Unit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'
type FieldsOf<X extends AnyResource> = X['fields']
type Called<X extends AnyResource, Path extends string> = Path extends keyof FieldsOf<X>
  ? FieldsOf<X>[Path]['kind'] extends 'one'
    ? `${Path}Id`
    : Path
  : Path
type IsTime<X extends AnyResource, Path extends string> = Path extends keyof FieldsOf<X>
  ? FieldsOf<X>[Path]['kind'] extends 'timestamp' | 'date'
    ? true
    : false
  : true
type GroupName<X extends AnyResource> = {
  [Path in Part<X, 'by'>]: Called<X, Path> | (IsTime<X, Path> extends true ? `${Path}:${Unit}` : never)
}[Part<X, 'by'>]

/** `assignee.name` is `assigneeName`. */
type Joined<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${First}${Capitalize<Joined<Rest>>}`
  : Path
type Member<G extends string> = G extends `${infer Path}:${string}` ? Joined<Path> : Joined<G>
type Values<X extends AnyResource, P extends 'of' | 'distinct', Value> = {
  readonly [Path in Part<X, P> as Joined<Called<X, Path>>]: Value
}
type GroupValue<X extends AnyResource, G> = G extends keyof FieldsOf<X>
  ? Answered<FieldsOf<X>[G]> | null
  : G extends `${string}:${string}` | `${string}Id`
    ? string | null
    : string | number | boolean | null
/** A group: what it is of, how many records it has, and what they come to. */
export type Group<X extends AnyResource, G extends string> = {
  readonly [Each in G as Member<Each>]: GroupValue<X, Each>
} & {
  readonly count: number
  readonly sum: Values<X, 'of', string | null>
  readonly avg: Values<X, 'of', string | null>
  readonly min: Values<X, 'of', string | number | null>
  readonly max: Values<X, 'of', string | number | null>
  readonly distinct: Values<X, 'distinct', number>
}
