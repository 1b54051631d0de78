// Kinds of fields by what can be done with their values, for the compiler; `compares` of a kind says the same at run time.

import type { Ordered } from '../field/choice.ts'

/** Values that are more or less than others. */
export type Quantity = 'integer' | 'counter' | 'decimal' | 'bigint' | 'float' | 'date' | Ordered
/** Values that a query string or a path can hold. */
export type Word = Exclude<Quantity, 'counter'> | 'text' | 'boolean' | 'timestamp' | 'uuid' | 'choice' | 'one'
/** Values with parts, which compare with nothing. */
export type Composite = 'json' | 'list' | 'object'
