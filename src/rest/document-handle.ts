// GET openapi.json and workflows.json: built on the first request, then cached. (contract 4.15.1, 4.15.11)

import type { Detail } from '../failure/failure.ts'
import { Failure } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import { type DocumentOptions, makeDocument, type ServiceDescription } from '../openapi/document.ts'
import { makeWorkflows } from '../openapi/workflow.ts'
import type { Model } from '../resource/model/model.ts'
import type { Handle } from './read.ts'
import { publicButFresh } from './route/caching.ts'
import { readReply } from './route/respond.ts'
import type { Routes } from './route/routes.ts'
import type { Version } from './route/version.ts'

export interface DocumentHandleDependencies
  extends Pick<DocumentOptions, 'limits' | 'cursorForm' | 'info' | 'authored'> {
  readonly model: Model
  readonly routes: Routes
  /** Called with the first document: most services never serve one. */
  readonly describeService?: () => Promise<ServiceDescription>
}

const describeNothing = async (): Promise<ServiceDescription> => ({})

const makers = { document: makeDocument, workflows: makeWorkflows }

export function documentHandle(
  kind: keyof typeof makers,
  version: Version,
  { model, routes, describeService = describeNothing, ...options }: DocumentHandleDependencies,
): Handle {
  let document: Promise<{ readonly body: string; readonly etag: string }> | null = null
  const make = async () => {
    const body = JSON.stringify(makers[kind](version, routes, model, { ...options, ...(await describeService()) }))
    return { body, etag: bodyETag(body) }
  }
  return async ({ path, query }) => {
    const problems: Detail[] = []
    requireKnown(readQuery(query, problems), () => false, problems)
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    document ??= make().catch((error: unknown) => {
      document = null
      throw error
    })
    const { body, etag } = await document
    return readReply(body, { etag, cacheControl: publicButFresh }, version.headers(path))
  }
}
