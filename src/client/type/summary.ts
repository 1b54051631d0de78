// Types of summaries.

import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { List, ListQuery, Page } from './query.ts'
import type { Answered } from './record.ts'

/** Never without a summary. */
type Part<X extends AnyResource, P extends 'by' | 'of' | 'distinct'> = X['summary'] extends {
  readonly [N in P]: readonly (infer Path extends string)[]
}
  ? Path
  : never

/** The summary of a resource: `client.orders.summary.list({ groupBy: ['createdAt:month'] })`. */
export type Summarised<X extends AnyResource, V, All> = [Part<X, 'by'>] extends [never]
  ? unknown
  : { readonly summary: SummaryList<X, V, All> }

interface SummaryList<X extends AnyResource, V, All> {
  /** All groups, fetched one page at a time. */
  list<const G extends GroupName<X> = never>(query?: SummaryQuery<X, V, All, G>): List<Group<X, G>>
  page<const G extends GroupName<X> = never>(
    query?: SummaryQuery<X, V, All, G> & { readonly cursor?: string | null },
  ): Promise<Page<Group<X, G>>>
}

interface SummaryQuery<X extends AnyResource, V, All, G> extends Omit<ListQuery<X, V, never, All>, 'sort' | 'fields'> {
  /** At most four. Times and dates are grouped by day, or by the unit after a colon. (contract 12.2.21) */
  readonly groupBy?: readonly G[]
  /** For calendar units, such as `Europe/Berlin`; default UTC. */
  readonly timeZone?: string
  /** `'-sumTotal'`, `'count'`, or a group. */
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
/** The values of a group, its number of records, and its results. */
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
