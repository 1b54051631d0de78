// Filters of a list: a name for clients, and a test on a field.

export interface Filter<out Test, out Name> {
  readonly test: Test
  readonly on: Name
}
export type FilterTest = 'is' | 'contains' | 'isPresent' | 'atLeast' | 'atMost'
/** Tests in rules, besides presence. */
export type RuleTest = 'is' | 'oneOf' | 'contains' | 'atLeast' | 'atMost' | 'before' | 'after'
/** Tests of clients' conditions that compare a text letter by letter. (contract 12.1.2) */
export type TextTest = 'startsWith' | 'endsWith' | 'includes'
/** Tests in clients' conditions, besides presence. */
export type WhereTest = RuleTest | TextTest
export type AnyFilter = Filter<string, string>
const filter = (test: FilterTest, on?: unknown): never => ({ test, on }) as never

/** The field of the same name equals the value. */
export const is: Filter<'is', never> = filter('is')
/** The list has this element; `items.product` looks into its objects. In a query, give the element itself. */
export const contains = <const N>(list: N): Filter<'contains', N> => filter('contains', list)
/** True: the field has a value. False: it has none. */
export const isPresent = <const N extends string>(name: N): Filter<'isPresent', N> => filter('isPresent', name)
/** The field is greater or equal. A filter names the field; a query gives the value to compare with. */
export const atLeast = <const N>(it: N): Filter<'atLeast', N> => filter('atLeast', it)
/** The field is less or equal. A filter names the field; a query gives the value to compare with. */
export const atMost = <const N>(it: N): Filter<'atMost', N> => filter('atMost', it)
