// Plausible, deterministic values, defined by each kind of field.

import type { ExamplePlace, SpecBase } from '../resource/field/field.ts'
import { exampleOf as exampleValue } from '../resource/field/registry.ts'

/** A fictitious id. */
export const exampleId = (prefix: string): string => `${prefix}_01KAG5T6XE5W9Q2Z8RM4C7BNHD`

export type Naming = Pick<ExamplePlace, 'partName' | 'idOf'>

export const exampleOf = (
  spec: SpecBase,
  name: string,
  { partName, idOf }: Naming,
  direction: ExamplePlace['direction'],
): unknown => exampleValue(spec, { name, direction, partName, idOf })
