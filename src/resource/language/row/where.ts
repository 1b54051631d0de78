// Types of the conditions that filter lists.

import type { Decimal } from '../../field/exact.ts'
import type { AnyField, Fields, TargetOf } from '../../field/field.ts'
import type { AnyResource } from './any-resource.ts'
import type { Comparable, Named, WithStored } from './row.ts'
import type { Quantity } from './value-kind.ts'

export type WherePath<F extends Fields> =
  | Comparable<F>
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | `${Named<F, 'one' | 'many' | 'manyToMany' | 'object'>}.${string}`

/**
 * A condition as a tree: `{ or: [{ status: { in: ['OPEN'] } }, { assignee: { name: { startsWith: 'A' } } }] }`. All members of an
 * object must hold. `assigneeId` compares the id of a relation. With `All` resources known, paths behind relations are checked too.
 * (contract 12.1.5)
 */
export type WhereOf<X extends AnyResource, All = unknown> = Conditions<
  X,
  All,
  X['where'] extends readonly (infer W extends string)[] ? W : never
>

interface Groups<Each> {
  readonly and?: readonly Each[]
  readonly or?: readonly Each[]
  readonly not?: Each
}
type Conditions<X extends AnyResource, All, Paths extends string> = Groups<Members<X, All, Paths>> &
  Members<X, All, Paths>
type Members<X extends AnyResource, All, Paths extends string> = Groups<Conditions<X, All, Paths>> & {
  readonly [P in ValuesIn<Paths> as ValueName<X['fields'], P>]?: TestOf<WithStored<X['fields'], X['computed']>, P>
} & {
  readonly [P in ValuesIn<Paths> as TypeName<X['fields'], P>]?: EqualityTest<TargetOf<X['fields'], P>>
} & {
  readonly [S in StepsIn<Paths> | TreesIn<X, Paths>]?: (S extends TreesIn<X, Paths> ? BelowTest : unknown) &
    (S extends StepsIn<Paths> ? Led<X['fields'], S, All, RestOf<Paths, S>> : unknown)
}
type ValuesIn<Paths extends string> = Paths extends `${string}.${string}` ? never : Paths
type StepsIn<Paths extends string> = Paths extends `${infer S}.${string}` ? S : never
type RestOf<Paths extends string, S extends string> = Paths extends `${S}.${infer Rest}` ? Rest : never

/** Relations of the resource to itself; whether they make a tree, is known at the start. */
type TreesIn<X extends AnyResource, Paths extends string> = {
  [P in ValuesIn<Paths>]: P extends keyof X['fields'] ? (X['fields'][P]['target'] extends X['name'] ? P : never) : never
}[ValuesIn<Paths>]
/** Below this record of a tree. (contract 10.3.6) */
interface BelowTest {
  readonly below?: string
}

type ValueName<F extends Fields, P extends string> = P extends keyof F
  ? F[P]['kind'] extends 'one' | 'either'
    ? `${P}Id`
    : P
  : P
type TypeName<F extends Fields, P extends string> = P extends keyof F
  ? [F[P]['kind']] extends ['either']
    ? `${P}Type`
    : never
  : never
type Led<F extends Fields, S extends string, All, Rest extends string> = S extends keyof F
  ? F[S]['kind'] extends 'one'
    ? Conditions<Target<F[S], All>, All, Rest>
    : F[S]['kind'] extends 'object'
      ? Parts<NonNullable<F[S]['phantom']['value']>, Rest>
      : {
          readonly some?: Conditions<Target<F[S], All>, All, Rest>
          readonly none?: Conditions<Target<F[S], All>, All, Rest>
        }
  : never
type Parts<V, Paths extends string> = Groups<PartMembers<V, Paths>> & PartMembers<V, Paths>
type PartMembers<V, Paths extends string> = Groups<Parts<V, Paths>> & {
  readonly [P in ValuesIn<Paths>]?: P extends keyof V ? OrderTest<Sent<NonNullable<V[P]>>> & TextTests : never
} & {
  readonly [S in StepsIn<Paths>]?: S extends keyof V ? Parts<NonNullable<V[S]>, RestOf<Paths, S>> : never
}
type Target<Of extends AnyField, All> = Of['target'] extends keyof All
  ? Extract<All[Of['target']], AnyResource>
  : AnyResource

type TestOf<F extends Fields, P extends string> = P extends 'createdAt' | 'updatedAt'
  ? OrderTest<Date | string>
  : P extends keyof F
    ? string extends keyof F
      ? AnyTest
      : [F[P]['kind']] extends ['either']
        ? EqualityTest<string>
        : ValueTest<F[P], NonNullable<F[P]['phantom']['value']>>
    : P extends 'id'
      ? EqualityTest<string>
      : AnyTest

type ValueTest<Of extends AnyField, Value> = Of['kind'] extends 'list'
  ? { readonly has?: Value extends readonly (infer E)[] ? Sent<E> : never } & NullTest
  : Of['kind'] extends 'text'
    ? OrderTest<Sent<Value>> & TextTests
    : Of['kind'] extends Quantity | 'timestamp'
      ? OrderTest<Sent<Value>>
      : EqualityTest<Sent<Value>>

/** `endsWith` and `contains` are for fields of `anywhere`. */
interface TextTests {
  readonly startsWith?: string
  readonly endsWith?: string
  readonly contains?: string
}
/** True: no value that the caller may see. */
interface NullTest {
  readonly isNull?: boolean
}
interface EqualityTest<V> extends NullTest {
  readonly eq?: V
  /** Null also matches. */
  readonly ne?: V
  readonly in?: readonly V[]
}
interface OrderTest<V> extends EqualityTest<V> {
  readonly lt?: V
  readonly lte?: V
  readonly gt?: V
  readonly gte?: V
}
interface AnyTest extends OrderTest<unknown>, TextTests {
  readonly has?: unknown
}
type Sent<V> = V extends Date
  ? Date | string
  : V extends Decimal
    ? Decimal | string
    : V extends bigint
      ? bigint | string
      : V
