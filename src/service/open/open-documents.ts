// Opens the source of GraphQL documents: trusted ones only, or those that clients register.

import { readFile } from 'node:fs/promises'
import type { ObserveCache } from '../../cache/bounded-cache.ts'
import { loadOptional } from '../../dependency/optional-package.ts'
import {
  createPersistedQueries,
  createRegisteredTexts,
  type PersistedQueries,
  type Texts,
} from '../../graphql/prepare/persisted-queries.ts'
import {
  createTrustedTexts,
  readTrustedDocuments,
  type TrustedDocuments,
} from '../../graphql/prepare/trusted-documents.ts'
import { type Configuration, ConfigurationError } from '../configuration/configuration.ts'

export interface DocumentSource {
  readonly texts: Texts
  close(): void
}

/** The trusted documents, given as JSON or in the file of `TRUSTED_DOCUMENTS`; null: any. Fails with ConfigurationError. */
export async function readTrusted(
  { trustedDocuments: path }: Pick<Configuration, 'trustedDocuments'>,
  manifest: unknown,
): Promise<TrustedDocuments | null> {
  if (manifest !== undefined) return read('What `trustedDocuments` is given', manifest)
  return path === null ? null : read(`TRUSTED_DOCUMENTS names ${path}, which`, await parseFile(path))
}

/** Registered documents are shared in Redis if there is one. */
export async function openDocumentSource(
  { redisUrl: url, limits }: Pick<Configuration, 'redisUrl' | 'limits'>,
  trusted: TrustedDocuments | null,
  observeCache?: ObserveCache,
): Promise<DocumentSource> {
  if (trusted !== null) return { texts: createTrustedTexts(trusted), close: () => {} }
  const registered = (shared?: PersistedQueries) =>
    createRegisteredTexts(createPersistedQueries(limits, shared, observeCache))
  if (url === null) return { texts: registered(), close: () => {} }
  // Loaded on use: most services run without Redis.
  const { openRedisQueries } = await loadOptional(
    'iovalkey',
    'REDIS_URL is set',
    () => import('../../graphql/prepare/redis-persisted-queries.ts'),
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
