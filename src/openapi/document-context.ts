// What the parts of an OpenAPI document are made from, with plausible, deterministic examples.

import type { Limits } from '../limits.ts'
import type { ExamplePlace, SpecBase } from '../resource/field/field.ts'
import { exampleOf as exampleValue } from '../resource/field/registry.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { CursorForm } from '../rest/query/page.ts'

/** How a service introduces itself in its OpenAPI documents. */
export interface DocumentInfo {
  readonly title: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}
/** The id of a public record for examples, fit for this action; null if none. */
export type FindExample = (action: ActionModel) => string | null

export interface DocumentContext {
  readonly limits: Limits
  readonly cursorForm: CursorForm
  readonly account: ResourceModel
  readonly takesCodes: boolean
  readonly naming: Naming
  /** The example id of a path. */
  readonly idFor: (action: ActionModel) => string
}

/** A fictitious id. */
export const exampleId = (prefix: string): string => `${prefix}_01KAG5T6XE5W9Q2Z8RM4C7BNHD`

export type Naming = Pick<ExamplePlace, 'partName' | 'idOf'>

export const exampleOf = (
  spec: SpecBase,
  name: string,
  { partName, idOf }: Naming,
  direction: ExamplePlace['direction'],
): unknown => exampleValue(spec, { name, direction, partName, idOf })
