// GET openapi.json: made when it is first asked for, then kept as it is sent. (contract 4.15.1)

import type { Detail } from '../failure/failure.ts'
import { Failure } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import type { EndpointDescription } from '../http/message/endpoint-description.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import type { Model } from '../resource/model/model.ts'
import { publicButFresh } from './caching.ts'
import type { AuthorAddress } from './custom-route/address.ts'
import { makeDocument } from './openapi/document.ts'
import type { DocumentInfo, FindExample } from './openapi/document-context.ts'
import type { CursorForm } from './page.ts'
import type { Handle } from './read.ts'
import { readReply } from './respond.ts'
import type { Routes } from './routes.ts'
import type { Version } from './version.ts'

export interface DocumentHandleGiven {
  readonly model: Model
  readonly routes: Routes
  readonly limits: Limits
  readonly cursorForm: CursorForm
  readonly info: DocumentInfo
  readonly endpoints?: readonly EndpointDescription[]
  readonly authored: readonly AuthorAddress[]
  readonly findExample?: FindExample
}

export function documentHandle(version: Version, { model, routes, ...given }: DocumentHandleGiven): Handle {
  let kept: { readonly body: string; readonly etag: string } | null = null
  const make = () => {
    const body = JSON.stringify(makeDocument(version, routes, model, given))
    return { body, etag: bodyETag(body) }
  }
  return async ({ path, query, headers }) => {
    const problems: Detail[] = []
    requireKnown(readQuery(query, problems), () => false, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    kept ??= make()
    const { body, etag } = kept
    return readReply(body, { etag, cacheControl: publicButFresh }, headers['if-none-match'], version.headers(path))
  }
}
