// Documents sent by hash, which makes a GET short and cacheable. (contract 4.9.2)

import { hash } from 'node:crypto'
import { createBoundedCache, type ObserveCache } from '../../cache/bounded-cache.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { entryOf, Refusal } from '../error.ts'
import type { GraphqlRequest } from './request.ts'

/** Resolves a request to its text. */
export interface Texts {
  /** True: ids may have any form, `documentId` included. */
  readonly takesAnyId: boolean
  /** Throws a Refusal: PERSISTED_QUERY_NOT_FOUND for an unknown id, others for a wrong one. */
  textOf(request: GraphqlRequest): string | Promise<string>
  /** Called once the document is valid. */
  keep(request: GraphqlRequest): Promise<void>
}

/** Texts by hash. Entries may be lost: clients send the text again. */
export interface PersistedQueries {
  find(hash: string): Promise<string | null>
  keep(hash: string, text: string): Promise<void>
}
export type PersistedQueryLimits = Pick<Limits, 'persistedQueries' | 'persistedQueryBytes'>

/** Cached in this process, bounded by count and bytes, in front of an optional shared store. */
export function createPersistedQueries(
  limits: PersistedQueryLimits,
  shared?: PersistedQueries,
  observeCache?: ObserveCache,
): PersistedQueries {
  const texts = createBoundedCache<string>(limits.persistedQueries, limits.persistedQueryBytes)
  observeCache?.('persisted_queries', texts.counts)
  const remember = (key: string, text: string) => texts.set(key, text, 2 * text.length + key.length)
  return {
    async find(key) {
      const cached = texts.get(key)
      if (cached !== undefined || shared === undefined) return cached ?? null
      const text = await shared.find(key)
      if (text !== null) remember(key, text)
      return text
    },
    async keep(key, text) {
      if (texts.get(key) !== undefined) return
      remember(key, text)
      await shared?.keep(key, text)
    },
  }
}

/** Accepts any text, and registered hashes. */
export function createRegisteredTexts(store: PersistedQueries): Texts {
  return {
    takesAnyId: false,
    textOf({ query, hash }) {
      if (hash === null) return query!
      if (query === null) return store.find(hash).then((text) => text ?? notFound())
      if (isHashOf(hash, query)) return query
      const details = [{ field: 'extensions.persistedQuery.sha256Hash', message: 'Is not the hash of this query.' }]
      throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { details }))])
    },
    async keep({ query, hash }) {
      if (query !== null && hash !== null) await store.keep(hash, query)
    },
  }
}

export const isHashOf = (sha256: string, text: string): boolean => hash('sha256', text, 'hex') === sha256

/** Clients match the message and send the text. */
export function notFound(): never {
  throw new Refusal([entryOf(new Failure('PERSISTED_QUERY_NOT_FOUND'))])
}
