// Comparisons in rules and queries: `when({ dueAt: before(now) })`.

import type { CalendarUnit } from '../calendar.ts'
import type { DueSpan, DueTime } from '../due.ts'
import { FieldPlaceholder, NowPlaceholder, Placeholder } from '../placeholder.ts'
import type { Filter } from './filter.ts'

/** The value of a query's argument. A test on an optional one is dropped if it is not sent. */
export interface Arg<out Name> {
  readonly arg: Name
}
/** A moment relative to the request, perhaps shifted by these arguments. */
export interface RequestTime<out Names> {
  readonly requestTime: Names
}
/** The moment at which a request is answered. */
export interface Now extends RequestTime<never> {
  minus<const N extends string = never>(span: Span<N>): RequestTime<N>
  plus<const N extends string = never>(span: Span<N>): RequestTime<N>
}
/** The beginning of a calendar unit, perhaps shifted: a moment, or a day. */
export interface CalendarTime<out Names> extends RequestTime<Names> {
  readonly beginsUnit: true
}
export interface StartOf extends CalendarTime<never> {
  minus<const N extends string = never>(span: Span<N>): CalendarTime<N>
  plus<const N extends string = never>(span: Span<N>): CalendarTime<N>
}
/** A duration; absent units are 0. */
export interface Span<out N> {
  readonly days?: number | Arg<N>
  readonly hours?: number | Arg<N>
  readonly minutes?: number | Arg<N>
}
/** In a query's `where`: the value a request sends as this argument. */
export const arg = <const N extends string>(name: N): Arg<N> => new Placeholder({ from: 'argument', name }) as never
/** In `when`: the moment at which the request is answered. */
export const now: Now = new NowPlaceholder() as never

/**
 * The first moment of the hour, day, week (from Monday), month, quarter or year of the request. In UTC by default. A field of
 * days compares with the local day. (contract 10.1.23)
 */
export const startOf = (unit: CalendarUnit, { timeZone = 'UTC' }: { readonly timeZone?: string } = {}): StartOf =>
  new NowPlaceholder([], { unit, timeZone }) as never

export interface FieldOf<out Name> {
  readonly fieldOf: Name
}
/** In `at` of a move, it can be shifted by a span. */
export interface NamedField<out Name> extends FieldOf<Name> {
  plus<const C extends string = never>(span: DueSpan<C>): DueTime<Name, C>
  minus<const C extends string = never>(span: DueSpan<C>): DueTime<Name, C>
}
/** A field of the caller's account; a comparison fails for anonymous callers. */
export interface Me<out Name> {
  readonly me: Name
}
export type MeIn<W> = { [N in keyof W]: MeInTest<W[N]> }[keyof W]
type MeInTest<T> = T extends Me<infer N> ? Me<N> : T extends Filter<string, infer On> ? Extract<On, Me<string>> : never

/** In a comparison: the value of another field of the same record. In `at` of a move: a timestamp, which a span can shift. */
export const field = <const N extends string>(name: N): NamedField<N> => new FieldPlaceholder(name) as never
/** In a comparison: a field of the caller's account. The login address is absent until verified. */
export const me = <const N extends string>(name: N): Me<N> => new Placeholder({ from: 'me', name }) as never

const test = (name: string, on: unknown): never => ({ test: name, on }) as never
/** Equal to one of these. */
export const oneOf = <const V extends readonly unknown[]>(...values: V): Filter<'oneOf', V[number]> =>
  test('oneOf', values)
/** Strictly before this moment. */
export const before = <const V>(moment: V): Filter<'before', V> => test('before', moment)
/** Strictly after this moment. */
export const after = <const V>(moment: V): Filter<'after', V> => test('after', moment)
