// What the front page shows of a service: plain data, made from its model by whoever has one.

export interface Overview {
  readonly title: string
  /** Empty where the author says nothing. */
  readonly description: string
  /** Of REST: the one whose calls are shown. */
  readonly version: string
  /** Who asks: a column of each table of rights. The first is nobody. */
  readonly callers: readonly string[]
  readonly resources: readonly ResourceOverview[]
}
export interface ResourceOverview {
  /** `OrderItem`. */
  readonly name: string
  /** `order-items`: what it is called in paths, and where it stands on the page. */
  readonly path: string
  readonly about: string
  readonly fields: readonly FieldOverview[]
  readonly relations: readonly RelationOverview[]
  /** Null where its records have no state. */
  readonly states: StatesOverview | null
  readonly actions: readonly ActionOverview[]
  readonly events: readonly EventOverview[]
}
export interface FieldOverview {
  /** As each face calls it. */
  readonly rest: string
  readonly graphql: string
  /** `text, at most 200 characters`. */
  readonly kind: string
  readonly about: string
  /** What else holds of it: `optional`, `unique`, `may be filtered by`. */
  readonly notes: readonly string[]
}
export interface RelationOverview {
  readonly name: string
  /** The name of the other resource. */
  readonly target: string
  readonly isList: boolean
  readonly isOptional: boolean
}
export interface StatesOverview {
  /** The first is that of new records. */
  readonly names: readonly string[]
  readonly moves: readonly { readonly name: string; readonly from: readonly string[]; readonly to: string }[]
}
export interface ActionOverview {
  readonly name: string
  readonly about: string
  /** Who may, as a sentence. */
  readonly rule: string
  /** One for each caller of the overview. */
  readonly rights: readonly Right[]
  /** Null where no client can do it by this face. */
  readonly rest: RestCall | null
  readonly graphql: GraphqlCall | null
}
/** `own`: their own records. `inside`: those of tenants that they are in. `some`: those that the rule tells. */
export type Right = 'all' | 'own' | 'inside' | 'some' | 'none'

export interface RestCall {
  readonly method: string
  /** `/api/v1/posts/{id}`. */
  readonly pattern: string
  /** The same with an id that exists, where one may be shown. */
  readonly path: string
  /** JSON to begin with; null where the call has no body. */
  readonly body: string | null
}
export interface GraphqlCall {
  readonly query: string
  /** JSON. */
  readonly variables: string
}
export interface EventOverview {
  readonly name: string
  readonly about: string
  /** The relation to the record whose subscribers are told; null where they listen to all. */
  readonly by: string | null
}
