// The content of the front page, as plain data.

export interface Overview {
  readonly title: string
  readonly description: string
  /** The columns of each table of rights; the first is anonymous. */
  readonly callers: readonly string[]
  readonly resources: readonly ResourceOverview[]
  readonly routes: readonly CallOverview[]
  readonly schedules: readonly ScheduleOverview[]
}
export interface ScheduleOverview {
  readonly name: string
  readonly when: string
}
export interface CallOverview {
  readonly name: string
  readonly about: string
  readonly rest: RestCall
  readonly graphql: GraphqlCall | null
}
export interface ResourceOverview {
  /** `OrderItem`. */
  readonly name: string
  /** `order-items`: its name in paths and its anchor. */
  readonly path: string
  readonly about: string
  readonly fields: readonly FieldOverview[]
  readonly relations: readonly RelationOverview[]
  /** Null without states. */
  readonly states: StatesOverview | null
  readonly actions: readonly ActionOverview[]
  readonly questions: readonly CallOverview[]
  readonly events: readonly EventOverview[]
}
export interface FieldOverview {
  /** The names in each face. */
  readonly rest: string
  readonly graphql: string
  /** `text, at most 200 characters`. */
  readonly kind: string
  readonly about: string
  /** `optional`, `unique`, `may be filtered by`. */
  readonly notes: readonly string[]
}
export interface RelationOverview {
  readonly name: string
  readonly target: string
  readonly isList: boolean
}
export interface StatesOverview {
  /** The first is the initial state. */
  readonly names: readonly string[]
  readonly moves: readonly { readonly name: string; readonly from: readonly string[]; readonly to: string }[]
}
export interface ActionOverview {
  readonly name: string
  readonly about: string
  /** The clock makes it, too. */
  readonly isTimed: boolean
  readonly rule: string
  readonly rights: readonly Right[]
  /** Null if clients cannot call it by this face. */
  readonly rest: RestCall | null
  readonly graphql: GraphqlCall | null
}
/** `own`: the caller's records. `inside`: records of the caller's tenants. `some`: depends on the rule. */
export type Right = 'all' | 'own' | 'inside' | 'some' | 'none'

export interface RestCall {
  readonly method: string
  readonly pattern: string
  /** With an existing id, if one may be shown. */
  readonly path: string
  /** Example JSON; null without a body. */
  readonly body: string | null
}
export interface GraphqlCall {
  readonly query: string
  readonly variables: string
}
export interface EventOverview {
  readonly name: string
  readonly about: string
  /** The relation to the record subscribed by; null for all. */
  readonly by: string | null
  readonly stream: string
}
