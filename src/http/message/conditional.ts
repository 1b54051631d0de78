// Entity tags and conditional requests. (RFC 9110 13.1)

import { hash } from 'node:crypto'

/**
 * A record's version, for `If-Match`, and a hash of its body: a changed definition, a migration and the reader change the body
 * without a new version. (contract 4.11.4)
 */
export const recordETag = (version: number, body: string): string => `"${version}.${hashOf(body)}"`

/**
 * At an address that may name different records. Includes the id, otherwise `If-Match` could accept the wrong record. (contract
 * 4.11.5)
 */
export const ownETag = (version: number, body: string, id: string): string =>
  `${recordETag(version, body).slice(0, -1)}.${id}"`

/** The ETag of the answer in this content coding. (contract 4.11.8; RFC 9110 8.8.3.3) */
export const encodedETag = (etag: string, encoding: string): string => `${etag.slice(0, -1)}+${encoding}"`

/** The ETag of a list or a GraphQL answer: a hash. (contract 4.11.6) */
export const bodyETag = (body: string | Uint8Array): string => `"${hashOf(body)}"`
const hashOf = (body: string | Uint8Array): string => hash('sha256', body, 'base64url')

/** Supports lists, `W/` and `*`; weak comparison. */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag
  return tagsOf(ifNoneMatch).includes(opaque)
}

interface RecordVersion {
  readonly version: number
  readonly id: string | null
}

/**
 * `any` for `*`; empty without any record ETag. Only version and id are compared, and `W/` is ignored: proxies add it.
 * (contract 4.11.10)
 */
export function versionsMatched(ifMatch: string): readonly RecordVersion[] | 'any' {
  if (ifMatch.trim() === '*') return 'any'
  return tagsOf(ifMatch).flatMap((tag) => {
    const match = recordTag.exec(tag)
    return match === null ? [] : [{ version: Number(match[1]), id: match[2] ?? null }]
  })
}
// Also the ETags of earlier releases, `"<version>.<mask>.<tally>"`.
const recordTag =
  /^"(0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14}|[\w-]{43})(?:\.(?:0|[1-9]\d{0,14}))?(?:\.([a-z]\w+))?(?:\+\w+)?"$/

const entityTag = /[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y

/** Without `W/`, up to the first malformed one. A tag may contain commas. */
function tagsOf(list: string): readonly string[] {
  const tags: string[] = []
  entityTag.lastIndex = 0
  for (let match = entityTag.exec(list); match !== null; match = entityTag.exec(list)) tags.push(match[1]!)
  return tags
}
