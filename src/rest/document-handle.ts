// GET openapi.json: made when it is first asked for, then kept as it is sent. (contract 4.15.1)

import type { Detail } from '../failure/failure.ts'
import { Failure } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import type { Model } from '../resource/model/model.ts'
import { publicButFresh } from './caching.ts'
import type { AuthorAddress } from './custom-route/address.ts'
import { makeDocument, type ServiceDescription } from './openapi/document.ts'
import type { DocumentInfo } from './openapi/document-context.ts'
import type { CursorForm } from './page.ts'
import type { Handle } from './read.ts'
import { readReply } from './respond.ts'
import type { Routes } from './routes.ts'
import type { Version } from './version.ts'

export interface DocumentHandleDependencies {
  readonly model: Model
  readonly routes: Routes
  readonly limits: Limits
  readonly cursorForm: CursorForm
  readonly info: DocumentInfo
  readonly authored: readonly AuthorAddress[]
  /** Asked when a document is made, because most services are never asked for one. */
  readonly describeService?: () => Promise<ServiceDescription>
}

const describeNothing = async (): Promise<ServiceDescription> => ({})

export function documentHandle(
  version: Version,
  { model, routes, describeService = describeNothing, ...options }: DocumentHandleDependencies,
): Handle {
  let document: Promise<{ readonly body: string; readonly etag: string }> | null = null
  const make = async () => {
    const body = JSON.stringify(makeDocument(version, routes, model, { ...options, ...(await describeService()) }))
    return { body, etag: bodyETag(body) }
  }
  return async ({ path, query, headers }) => {
    const problems: Detail[] = []
    requireKnown(readQuery(query, problems), () => false, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    document ??= make().catch((error: unknown) => {
      document = null
      throw error
    })
    const { body, etag } = await document
    return readReply(body, { etag, cacheControl: publicButFresh }, headers['if-none-match'], version.headers(path))
  }
}
