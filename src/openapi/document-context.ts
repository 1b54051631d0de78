// What the parts of an OpenAPI document are made from.

import type { Limits } from '../limits.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { CursorForm } from '../rest/query/page.ts'
import type { Naming } from './example.ts'

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
