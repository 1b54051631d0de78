// GraphQL over HTTP: a document, its variables, and the data that they give, all of one type. (contract 4.8)

import { type Answer, errorOf } from './answer.ts'
import type { CallOptions } from './call.ts'
import { type Node, printDocument } from './print-document.ts'
import type { Sending } from './send.ts'

/** A document that knows its types, as gql.tada and GraphQL Code Generator make them. */
export interface TypedDocument<Data, Variables> {
  /** Never called: it is how these tools tell the types. */
  readonly __apiType?: (variables: Variables) => Data
}
/** Text, or a document as a tool made it: a syntax tree, or text in an object. */
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

/** Runs a query or a mutation, and answers its data. Rejects where there are errors; they, and what data came, are in it. */
export async function askGraphql(
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
    // There are no idempotency keys here: what might be a mutation is sent once.
    isRepeatable: !/\bmutation\b/.test(query),
  })
  const { data, errors } = (answer.body ?? {}) as { readonly data?: unknown; readonly errors?: unknown }
  if (data === undefined || errors !== undefined) throw errorOf(answer)
  return data
}
