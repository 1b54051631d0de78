// What a list can be narrowed by: a name for clients, and a test on a field.

export interface Filter<out Test, out Name> {
  readonly test: Test
  readonly on: Name
}
export type FilterTest = 'is' | 'contains' | 'isPresent' | 'atLeast' | 'atMost'
/** What rules test, beside presence. */
export type RuleTest = 'is' | 'oneOf' | 'contains' | 'atLeast' | 'atMost' | 'before' | 'after'
/** What conditions of clients test, beside presence. */
export type WhereTest = RuleTest | 'startsWith'
export type AnyFilter = Filter<string, string>
const filter = (test: FilterTest, on?: unknown): never => ({ test, on }) as never

/** The field of the same name has this value. */
export const is: Filter<'is', never> = filter('is')
/** The list has this element; `items.product` looks into its objects. In a query, the element itself. */
export const contains = <const N>(list: N): Filter<'contains', N> => filter('contains', list)
/** True: the field has a value. False: it has none. */
export const isPresent = <const N extends string>(name: N): Filter<'isPresent', N> => filter('isPresent', name)
/** A filter names the field that it compares; a query, the value that it compares a field with. */
export const atLeast = <const N>(it: N): Filter<'atLeast', N> => filter('atLeast', it)
/**
 * The field that it names is not greater than this: up to and including it. In a query, the value that a field is
 * compared with.
 */
export const atMost = <const N>(it: N): Filter<'atMost', N> => filter('atMost', it)
