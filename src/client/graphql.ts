// Typed GraphQL requests over HTTP. (contract 4.8)

import { type Answer, errorOf } from './send/answer.ts'
import { type Node, printDocument } from './send/print-document.ts'
import type { Sending } from './send/send.ts'
import type { CallOptions } from './type/call.ts'

/** A typed document, as made by gql.tada and GraphQL Code Generator. */
export interface TypedDocument<Data, Variables> {
  /** Never called; carries the types for these tools. */
  readonly __apiType?: (variables: Variables) => Data
}
/** Text, or a document made by a tool: a syntax tree, or an object with text. */
export type GraphqlDocument<Data = unknown, Variables = never> =
  | string
  | (TypedDocument<Data, Variables> & (Node | { toString(): string }))
export type VariablesOf<Variables> = [Variables] extends [never]
  ? [variables?: Readonly<Record<string, unknown>>]
  : {} extends Variables
    ? [variables?: Variables]
    : [variables: Variables]

export const textOf = (document: GraphqlDocument<unknown, never>): string =>
  typeof document === 'object' && 'kind' in document ? printDocument(document) : String(document)

/** Returns the data. Rejects on errors, with the errors and partial data. */
export async function runGraphql(
  send: (sending: Sending) => Promise<Answer>,
  document: GraphqlDocument<unknown, never>,
  variables: unknown,
  options: CallOptions,
): Promise<unknown> {
  const query = textOf(document)
  const answer = await send({
    ...options,
    method: 'POST',
    path: '/graphql',
    headers: { Accept: 'application/graphql-response+json, application/json;q=0.9' },
    body: variables === undefined ? { query } : { query, variables },
    // There are no idempotency keys here, so a possible mutation is sent once.
    isRepeatable: !/\bmutation\b/.test(query),
  })
  const { data, errors } = (answer.body ?? {}) as { readonly data?: unknown; readonly errors?: unknown }
  if (data === undefined || errors !== undefined) throw errorOf(answer)
  return data
}
