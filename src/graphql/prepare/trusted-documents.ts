// Runs only documents from the manifests of the clients' builds. (contract 4.9.5)

import { Failure } from '../../failure/failure.ts'
import { isObject, type JsonObject } from '../../json/json.ts'
import { entryOf, Refusal } from '../error.ts'
import { notFound, type Texts } from './persisted-queries.ts'

export type TrustedDocuments = ReadonlyMap<string, string>

/**
 * Accepts `{ id: text }` (Relay, graphql-codegen, gql.tada) and Apollo's manifest, whose `operations` have `id` and `body`.
 * Otherwise throws; the message is one sentence.
 */
export function readTrustedDocuments(manifest: unknown): TrustedDocuments {
  const pairs = isObject(manifest) ? (operationsOf(manifest) ?? Object.entries(manifest)) : []
  const isWrong = pairs.some(([id, text]) => typeof id !== 'string' || id === '' || typeof text !== 'string')
  if (pairs.length === 0 || isWrong) {
    throw new Error('is no list of documents: write { "id": "text" }, or the manifest that Apollo\'s tools write.')
  }
  return new Map(pairs as [string, string][])
}

function operationsOf({ format, operations }: JsonObject): [unknown, unknown][] | null {
  if (format !== 'apollo-persisted-query-manifest' || !Array.isArray(operations)) return null
  return operations.map((each: { id?: unknown; body?: unknown } | null) => [each?.id, each?.body])
}

/**
 * Accepts `extensions.persistedQuery.sha256Hash`, `documentId` or the exact text. Otherwise FORBIDDEN; PERSISTED_QUERY_NOT_FOUND
 * for an unknown id. Registers nothing.
 */
export function createTrustedTexts(documents: TrustedDocuments): Texts {
  const texts = new Set(documents.values())
  const find = (id: string): string | undefined => documents.get(id) ?? documents.get(otherSpelling(id))
  return {
    takesAnyId: true,
    textOf({ query, hash, documentId }) {
      if (query !== null && texts.has(query)) return query
      if (query !== null) throw new Refusal([entryOf(new Failure('FORBIDDEN', { message: onlyTrusted }))])
      return find(documentId ?? hash!) ?? notFound()
    },
    keep: async () => {},
  }
}
const onlyTrusted = 'Only documents that this service trusts are run: send the id of one.'

/** With or without the algorithm's prefix. */
const otherSpelling = (id: string): string => (id.startsWith('sha256:') ? id.slice('sha256:'.length) : `sha256:${id}`)
