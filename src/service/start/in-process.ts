// What programs that run a service see of its records. (contract 13.3.13)

import type { RouteRecords } from '../../action/code/route-records.ts'
import type { AsService } from '../../action/code/service-records.ts'

/** What `as` takes besides the account. */
export interface InProcessOptions {
  /** Access codes, as clients send them in `X-Access-Code`. */
  readonly accessCode?: string
  /** Ends reads, and writes that have not begun. */
  readonly signal?: AbortSignal
}
/** Records in the process of a running service, without HTTP. */
export interface InProcess {
  /** Reads and writes everything, as the service itself. */
  readonly asService: AsService
  /**
   * Reads and writes as this account may, null for an anonymous caller. Each call loads the account and is a transaction of its own; it
   * fails as a client's request would, with UNAUTHENTICATED if the account does not exist or is not active. No rate limit applies.
   */
  as(account: string | null, options?: InProcessOptions): { readonly records: RouteRecords }
}
