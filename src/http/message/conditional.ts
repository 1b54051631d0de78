// Entity tags: what a record or a body is called, and what a client's conditions say about them. (RFC 9110 13.1)

import { hash } from 'node:crypto'

/**
 * The ETag of a record: its version, and the protected fields that this reader may see, as bits; or, where version and bits
 * do not determine the answer, the mark of its body (contract 4.11.4, 10.1.10). Of a record with kept numbers also how often
 * these have changed (contract 13.2.6).
 */
export const recordETag = (version: number, mark: number | string, tally?: number): string =>
  `"${version}.${mark}${tally === undefined ? '' : `.${tally}`}"`

/**
 * The ETag of a record at an address that means another one for every caller. Two of them must never have one name: a
 * browser that knows the first caller's would ask with it for the second's. (RFC 9110 8.8.1)
 */
export const ownETag = (version: number, mark: number | string, id: string, tally?: number): string =>
  `${recordETag(version, mark, tally).slice(0, -1)}.${id}"`

/** The ETag of a list or a GraphQL answer: a hash of its bytes. (contract 4.11.6) */
export const bodyETag = (body: string | Uint8Array): string => `"${bodyMark(body)}"`
/** The mark of these parts that are seen: their bits, or a hash of a text of them. */
export const maskMark = (mask: number | string): number | string => (typeof mask === 'number' ? mask : bodyMark(mask))
/** A hash of these bytes. */
export const bodyMark = (body: string | Uint8Array): string => hash('sha256', body, 'base64url')

/** True where `If-None-Match` names this ETag, so that 304 is the answer. Lists, `W/` and `*`; weak comparison. */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  // One tag, sent back as it came, is by far the most usual header.
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag
  return tagsOf(ifNoneMatch).includes(opaque)
}

/**
 * The record versions that `If-Match` accepts, or `any` for `*`; an empty list, which no record matches, where nothing in
 * the header is a record's ETag. Only the version counts, and `W/` is overlooked: proxies put it there when they compress,
 * and a version is as strong as ever. (contract 4.11.4)
 */
export function versionsMatched(ifMatch: string): readonly number[] | 'any' {
  if (ifMatch.trim() === '*') return 'any'
  return tagsOf(ifMatch)
    .map((tag) =>
      /^"(0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14}|[\w-]{43})(?:\.(?:0|[1-9]\d{0,14}))?(?:\.[a-z]\w+)?"$/.exec(tag),
    )
    .filter((match) => match !== null)
    .map((match) => Number(match[1]))
}

const entityTag = /[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y

/** The tags of a list without their `W/`, up to the first thing that is not a tag. A comma may stand inside a tag. */
function tagsOf(list: string): readonly string[] {
  const tags: string[] = []
  entityTag.lastIndex = 0
  for (let match = entityTag.exec(list); match !== null; match = entityTag.exec(list)) tags.push(match[1]!)
  return tags
}
