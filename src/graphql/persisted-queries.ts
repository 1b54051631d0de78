// Documents that clients name by their hash, so that a GET is short and caches can keep its answer. (contract 4 "GraphQL")

import { hash } from 'node:crypto'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { entryOf, Refusal } from './error.ts'
import type { GraphqlRequest } from './request.ts'

/** Where texts are kept under their hashes. It may forget: clients send the text again. */
export interface PersistedQueries {
  find(hash: string): Promise<string | null>
  keep(hash: string, text: string): Promise<void>
}

/** Bounded by count and by bytes; of this process alone. */
export function createPersistedQueries(
  limits: Pick<Limits, 'persistedQueries' | 'persistedQueryBytes'>,
): PersistedQueries {
  const texts = createBoundedCache<string>(limits.persistedQueries, limits.persistedQueryBytes)
  return {
    find: async (key) => texts.get(key) ?? null,
    keep: async (key, text) => texts.set(key, text, 2 * text.length + key.length),
  }
}

/**
 * The text of a request. Throws a Refusal: PERSISTED_QUERY_NOT_FOUND where only an unknown hash was sent,
 * VALIDATION_ERROR where the hash is another text's.
 */
export async function textOf({ query, persisted }: GraphqlRequest, store: PersistedQueries): Promise<string> {
  if (persisted === null) return query!
  if (query !== null) {
    if (hash('sha256', query, 'hex') === persisted.hash) return query
    const details = [{ field: 'extensions.persistedQuery.sha256Hash', message: 'Is not the hash of this query.' }]
    throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { details }))])
  }
  const found = await store.find(persisted.hash)
  if (found === null) throw new Refusal([entryOf(new Failure('PERSISTED_QUERY_NOT_FOUND'))])
  return found
}
