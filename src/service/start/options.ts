// Options for starting a service.

import type { TrustedIssuer } from '../../authentication/issuer/outside-issuer.ts'
import type { Log } from '../../observation/log.ts'
import type { DocumentInfo } from '../../openapi/document-context.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { CursorForm } from '../../rest/query/page.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Demo } from './seed.ts'

export interface ServiceOptions {
  /** Outside issuers whose access tokens are accepted. */
  readonly issuers?: readonly TrustedIssuer[]
  /** The introduction of the OpenAPI documents; the default title is `API`. */
  readonly info?: DocumentInfo
  /** Whether cursors are in `meta` or next to `data`; default `envelope`. (contract 4.4.16) */
  readonly cursorForm?: CursorForm
  /**
   * The only permitted GraphQL documents, as written by client tools to a JSON file: `{ id: text }` or Apollo's manifest. By
   * default any, unless `TRUSTED_DOCUMENTS` is set. (contract 4.9.5)
   */
  readonly trustedDocuments?: object
}

export interface StartServiceOptions extends ServiceOptions {
  readonly configuration: Configuration
  readonly log: Log
  readonly clock: () => Date
  /** From 0 to below 1: spreads retries. */
  readonly random?: () => number
  /** Makes the id of a record with this prefix; by default random. */
  readonly newId?: (prefix: string, now: Date) => string
  /** Sends requests to webhooks; by default as `OUTBOUND` allows. */
  readonly outbound?: Outbound
  /** The host path of the service, such as `/backend`. */
  readonly basePath?: string
  /** False: other processes run reactions, the event feed and sweeping. */
  readonly workers?: boolean
  /** True: another process serves its metrics, with those of others. */
  readonly isWorker?: boolean
  /** Fills an empty database if `DEMO_DATA` is on. */
  readonly demo?: Demo
}
