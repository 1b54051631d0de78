// The server of a service: its hosts, and what stands before them.

import { type Hosts, singleHost } from './hosts.ts'
import { noPooler, type Pooling } from './pooler.ts'

export interface Server {
  readonly hosts: Hosts
  readonly pooling: Pooling
  /** Past a pooler, for what a transaction of one cannot do; null if there is no other way. */
  readonly direct: Hosts | null
}

export const directServer = (url: string): Server => ({ hosts: singleHost(url), pooling: noPooler, direct: null })
