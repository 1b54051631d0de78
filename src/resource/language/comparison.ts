// What rules and queries compare the fields of a record with, besides values: `when({ dueAt: before(now) })`.

import { NowPlaceholder, Placeholder } from '../model/placeholder.ts'
import type { Filter } from './filter.ts'

/** The value of an argument of the query. A test on an optional one is left out of a request that does not send it. */
export interface Arg<out Name> {
  readonly arg: Name
}
/** A moment that depends on when a request is answered, and on these arguments. */
export interface RequestTime<out Names> {
  readonly requestTime: Names
}
/** The moment at which a request is answered. */
export interface Now extends RequestTime<never> {
  minus<const N extends string = never>(span: Span<N>): RequestTime<N>
  plus<const N extends string = never>(span: Span<N>): RequestTime<N>
}
/** So long; what is not said is none of it. */
export interface Span<out N> {
  readonly days?: number | Arg<N>
  readonly hours?: number | Arg<N>
  readonly minutes?: number | Arg<N>
}
/** Stands in a query's `where` for what a request sends as this argument. */
export const arg = <const N extends string>(name: N): Arg<N> => new Placeholder({ from: 'argument', name }) as never
/** Stands in `when` for the moment at which the request is answered. */
export const now: Now = new NowPlaceholder() as never

/** Another field of the same record. */
export interface FieldOf<out Name> {
  readonly fieldOf: Name
}
/** A field of the account of whoever asks; for nobody there is none, and nothing compares with it. */
export interface Me<out Name> {
  readonly me: Name
}
/** What a rule asks of the actor's account. */
export type MeIn<W> = { [N in keyof W]: MeInTest<W[N]> }[keyof W]
type MeInTest<T> = T extends Me<infer N> ? Me<N> : T extends Filter<string, infer On> ? Extract<On, Me<string>> : never

/** In a comparison: the value of another field of the same record. */
export const field = <const N extends string>(name: N): FieldOf<N> => new Placeholder({ from: 'field', name }) as never
/**
 * The address that people sign in with is theirs only once it is verified: until then it is as if they had none, and
 * `accounts.verified` names the field that tells.
 */
export const me = <const N extends string>(name: N): Me<N> => new Placeholder({ from: 'me', name }) as never

const test = (name: string, on: unknown): never => ({ test: name, on }) as never
/** Equal to one of these. */
export const oneOf = <const V extends readonly unknown[]>(...values: V): Filter<'oneOf', V[number]> =>
  test('oneOf', values)
/** Earlier than this moment, and not at it. */
export const before = <const V>(moment: V): Filter<'before', V> => test('before', moment)
/** Later than this moment, and not at it. */
export const after = <const V>(moment: V): Filter<'after', V> => test('after', moment)
