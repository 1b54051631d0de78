// Types of API keys and webhooks in a service with tenants: one belongs to its maker, or to a tenant with a role. (contract 10.2.11)

import type { Field, Id } from '../../resource/field/field.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Filter } from '../../resource/language/rule/filter.ts'
import type { TenantNames } from '../../resource/language/service.ts'

export type WithTenants<X extends AnyResource, Tenants> = X['name'] extends 'ApiKey' | 'Webhook'
  ? Tenants extends TenantNames<infer Names extends string, infer Roles>
    ? [Names] extends [never]
      ? X
      : Keys<X, Names, Roles>
    : X
  : X

type Keys<X extends AnyResource, Names extends string, Roles> = Omit<X, 'fields' | 'actions' | 'filter'> & {
  readonly fields: Omit<X['fields'], 'user'> & KeyFields<Names, Roles>
  readonly actions: {
    readonly [K in keyof X['actions']]: K extends 'create'
      ? X['actions'][K] | Uncapitalize<Names> | 'role'
      : X['actions'][K]
  }
  readonly filter: X['filter'] & { readonly [N in Names as Uncapitalize<N>]: Filter<'is', never> }
}
type KeyFields<Names extends string, Roles> = {
  readonly user: Field<'one', Id<'User'> | null, never, 'free', 'User'>
  readonly role: Field<'choice', Roles | null, Roles | null, 'free'>
} & {
  readonly [N in Names as Uncapitalize<N>]: Field<'one', Id<N> | null, Id<N> | null, 'free', N>
}
