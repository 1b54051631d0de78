// The version in the ETag of a record.

/** NaN without an ETag of a record. */
export const versionIn = (etag: string | null | undefined): number => Number(/^"(\d+)\./.exec(etag ?? '')?.[1])
