// Documents that clients name by their hash, so that a GET is short and caches can keep its answer. (contract 4.9.2)

import { hash } from 'node:crypto'
import { createBoundedCache, type TellCache } from '../../cache/bounded-cache.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { entryOf, Refusal } from '../error.ts'
import type { GraphqlRequest } from './request.ts'

/** Which text a request means. */
export interface Texts {
  /** True where ids may have any form, and `documentId` is one. */
  readonly takesAnyId: boolean
  /** Throws a Refusal: PERSISTED_QUERY_NOT_FOUND where only an unknown id was sent, and what else is wrong with it. */
  textOf(request: GraphqlRequest): string | Promise<string>
  /** Called for what turned out to be a document of this schema. */
  keep(request: GraphqlRequest): Promise<void>
}

/** Where texts are kept under their hashes. It may forget: clients send the text again. */
export interface PersistedQueries {
  find(hash: string): Promise<string | null>
  keep(hash: string, text: string): Promise<void>
}
export type PersistedQueryLimits = Pick<Limits, 'persistedQueries' | 'persistedQueryBytes'>

/** Bounded by count and by bytes, in this process; behind it what all instances share, if anything. */
export function createPersistedQueries(
  limits: PersistedQueryLimits,
  shared?: PersistedQueries,
  tellCache?: TellCache,
): PersistedQueries {
  const texts = createBoundedCache<string>(limits.persistedQueries, limits.persistedQueryBytes)
  tellCache?.('persisted_queries', texts.counts)
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

/** Any text, and those that clients registered before. */
export function createRegisteredTexts(store: PersistedQueries): Texts {
  return {
    takesAnyId: false,
    textOf({ query, persisted }) {
      if (persisted === null) return query!
      if (query === null) return store.find(persisted.hash).then((text) => text ?? notFound())
      if (isHashOf(persisted.hash, query)) return query
      const details = [{ field: 'extensions.persistedQuery.sha256Hash', message: 'Is not the hash of this query.' }]
      throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { details }))])
    },
    async keep({ query, persisted }) {
      if (query !== null && persisted !== null) await store.keep(persisted.hash, query)
    },
  }
}

export const isHashOf = (sha256: string, text: string): boolean => hash('sha256', text, 'hex') === sha256

/** The message is part of what clients agreed on: they send the text, then. */
export function notFound(): never {
  throw new Refusal([entryOf(new Failure('PERSISTED_QUERY_NOT_FOUND'))])
}
