// The ETag of a record. (contract 4.11.4, 4.11.5)

import { ownETag, recordETag } from '../http/message/conditional.ts'

/** `ownId`: set for an address that may name another record for another caller, or later. */
export const tagOf = (version: number, body: string, ownId: string | null): string =>
  ownId === null ? recordETag(version, body) : ownETag(version, body, ownId)
