// Types of a service's events.

import type { Fields, Id, TargetOf } from '../../resource/field/field.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Service } from '../../resource/language/service.ts'
import type { Answered } from '../type/record.ts'

export type EventsOf<S> =
  S extends Service<infer All, unknown>
    ? { [N in keyof All]: All[N] extends AnyResource ? EventsIn<All[N]> : never }[keyof All]
    : never
type EventsIn<X extends AnyResource> = X['actions'][keyof X['actions']] extends infer Stated
  ? Stated extends { readonly event: infer E extends string; readonly by: infer By }
    ? { readonly event: E; readonly by: ByOf<X, By>; readonly record: Plain<X> }
    : never
  : never
type ByOf<X extends AnyResource, By> = [By] extends [never]
  ? {}
  : { readonly [N in By & string as `${N}Id`]: Id<TargetOf<X['fields'], N>> }

/** Fields that need no selection of their own. */
type Plain<X extends AnyResource> = {
  readonly [N in keyof X['fields'] as IsPlain<X['fields'], X['protect'], N>]: Answered<X['fields'][N]>
} & { readonly id: Id<X['name']>; readonly createdAt: string; readonly updatedAt: string }
type IsPlain<F extends Fields, Protected, N extends keyof F> = N extends keyof Protected
  ? never
  : F[N]['kind'] extends
        | 'one'
        | 'many'
        | 'manyToMany'
        | 'either'
        | 'argument'
        | 'password'
        | 'token'
        | 'secret'
        | 'object'
    ? never
    : F[N]['kind'] extends 'list'
      ? NonNullable<F[N]['phantom']['value']> extends readonly (string | number | boolean)[]
        ? N
        : never
      : N
