// Plausible values, the same every time. What a kind of field looks like is said by the kind.

import type { ExamplePlace, SpecBase } from '../../resource/field/field.ts'
import { exampleOf as exampleValue } from '../../resource/field/registry.ts'

/** An id that nothing has. */
export const exampleId = (prefix: string): string => `${prefix}_01KAG5T6XE5W9Q2Z8RM4C7BNHD`

export type Naming = Pick<ExamplePlace, 'partName' | 'idOf'>

/** A value that a field of this name may have. */
export const exampleOf = (
  spec: SpecBase,
  name: string,
  { partName, idOf }: Naming,
  direction: ExamplePlace['direction'],
): unknown => exampleValue(spec, { name, direction, partName, idOf })
