// What a document is made with, beside the model and its routes.

import type { Limits } from '../../limits.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { CursorForm } from '../page.ts'
import type { Naming } from './example.ts'

/** How the service introduces itself. */
export interface DocumentInfo {
  readonly title: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}
/** The id of a record that examples can name, one that this action can be tried on; null where there is none. */
export type FindExample = (action: ActionModel) => string | null

export interface DocumentContext {
  readonly limits: Limits
  readonly cursorForm: CursorForm
  readonly account: ResourceModel
  /** Whether rules ask for access codes. */
  readonly takesCodes: boolean
  readonly naming: Naming
  /** The id in the path of an operation that is about one record. */
  readonly idFor: (action: ActionModel) => string
}
