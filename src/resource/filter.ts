// What a list can be narrowed by: a name for clients, and a test on a field.

export interface Filter<out Test, out Name> {
  readonly test: Test
  readonly on: Name
}
export type FilterTest = 'is' | 'contains' | 'isPresent' | 'atLeast' | 'atMost'
export type AnyFilter = Filter<string, string>
const filter = (test: FilterTest, on?: string): never => ({ test, on }) as never

/** The field of the same name has this value. */
export const is: Filter<'is', never> = filter('is')
/** The list has this element; `items.product` looks into its objects. */
export const contains = <const N extends string>(list: N): Filter<'contains', N> => filter('contains', list)
/** True: the field has a value. False: it has none. */
export const isPresent = <const N extends string>(name: N): Filter<'isPresent', N> => filter('isPresent', name)
export const atLeast = <const N extends string>(name: N): Filter<'atLeast', N> => filter('atLeast', name)
export const atMost = <const N extends string>(name: N): Filter<'atMost', N> => filter('atMost', name)
