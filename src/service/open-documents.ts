// Opens the source of GraphQL documents, as configured: trusted ones alone, or those that clients register.

import { readFile } from 'node:fs/promises'
import type { TellCache } from '../cache/bounded-cache.ts'
import { loadOptional } from '../dependency/optional-package.ts'
import {
  createPersistedQueries,
  createRegisteredTexts,
  type PersistedQueries,
  type Texts,
} from '../graphql/prepare/persisted-queries.ts'
import {
  createTrustedTexts,
  readTrustedDocuments,
  type TrustedDocuments,
} from '../graphql/prepare/trusted-documents.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'

export interface DocumentSource {
  readonly texts: Texts
  close(): void
}

/**
 * Trusted documents alone where they are given, as they were read from JSON, or where `TRUSTED_DOCUMENTS` names their file;
 * otherwise any, registered together in Redis where there is one. Fails with ConfigurationError.
 */
export async function openDocumentSource(
  configuration: Configuration,
  manifest: unknown,
  tellCache?: TellCache,
): Promise<DocumentSource> {
  const { redisUrl: url, limits, trustedDocuments: path } = configuration
  const trusted =
    manifest === undefined
      ? path === null
        ? null
        : read(`TRUSTED_DOCUMENTS names ${path}, which`, await parseFile(path))
      : read('What `trustedDocuments` is given', manifest)
  if (trusted !== null) return { texts: createTrustedTexts(trusted), close: () => {} }
  const registered = (shared?: PersistedQueries) =>
    createRegisteredTexts(createPersistedQueries(limits, shared, tellCache))
  if (url === null) return { texts: registered(), close: () => {} }
  // Most services start without Redis, and sooner without its client.
  const { openRedisQueries } = await loadOptional(
    'iovalkey',
    'REDIS_URL is set',
    () => import('../graphql/prepare/redis-persisted-queries.ts'),
  )
  const shared = await openRedisQueries({ url, limits })
  return { texts: registered(shared), close: shared.close }
}

async function parseFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new ConfigurationError(`TRUSTED_DOCUMENTS names ${path}, which cannot be read: ${(error as Error).message}`)
  }
}

function read(what: string, manifest: unknown): TrustedDocuments {
  try {
    return readTrustedDocuments(manifest)
  } catch (error) {
    throw new ConfigurationError(`${what} ${(error as Error).message}`)
  }
}
