// What the author of a service may pass when starting it, beside its definition and its configuration.

import type { TrustedIssuer } from '../authentication/issuer/outside-issuer.ts'
import type { Log } from '../observation/log.ts'
import type { Reaction } from '../reaction/on.ts'
import type { AuthorRoute } from '../rest/custom-route/route.ts'
import type { DocumentInfo } from '../rest/openapi/document-context.ts'
import type { CursorForm } from '../rest/page.ts'
import type { Configuration } from './configuration.ts'
import type { Demo } from './seed.ts'

export interface ServiceOptions {
  /** Outside issuers whose access tokens are believed beside our own. */
  readonly issuers?: readonly TrustedIssuer[]
  /** How the OpenAPI documents introduce the service; with the title `API` unless said. */
  readonly info?: DocumentInfo
  /** How REST tells of further pages by cursor: in `meta`, or flat beside `data`; `envelope` unless said. (contract 4.4.16) */
  readonly cursorForm?: CursorForm
  /** Custom routes, made with `route(…)`. */
  readonly routes?: readonly AuthorRoute[]
  /**
   * The only GraphQL documents that are run, as the tools of your clients write them to a JSON file: `{ id: text }`, or
   * Apollo's manifest. Any are run unless said, here or by `TRUSTED_DOCUMENTS`. (contract 4.9.5)
   */
  readonly trustedDocuments?: object
  /** What the service itself does about events, made with `on(…)`. */
  readonly reactions?: readonly Reaction[]
}

export interface StartServiceOptions extends ServiceOptions {
  readonly configuration: Configuration
  readonly log: Log
  readonly clock: () => Date
  /** From 0 up to 1: spreads retries. */
  readonly random?: () => number
  /** Makes the id of a new record, which begins with this prefix; random unless said. */
  readonly newId?: (prefix: string, now: Date) => string
  /** The path of a host below which everything is served, such as `/backend`. */
  readonly basePath?: string
  /** False where reactions, the feed of events and sweeping are left to other processes. */
  readonly workers?: boolean
  /** Fills a new, empty database when `DEMO_DATA` is on. */
  readonly demo?: Demo
}
