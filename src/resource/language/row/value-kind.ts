// Field kinds by what their values support, for the compiler; `compares` of a kind is the run-time counterpart.

import type { Ordered } from '../../field/choice.ts'

/** Ordered values. */
export type Quantity = 'integer' | 'counter' | 'decimal' | 'bigint' | 'float' | 'date' | Ordered
/** Values a query string or a path can hold. */
export type Word = Exclude<Quantity, 'counter'> | 'text' | 'boolean' | 'timestamp' | 'uuid' | 'choice' | 'one'
/** Values with parts, which are not compared. */
export type Composite = 'json' | 'list' | 'object'
