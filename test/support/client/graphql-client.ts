// Asks a service in GraphQL, and holds how it refuses against what is expected.

import assert from 'node:assert/strict'
import { cost } from '../check/statement-counter.ts'
import type { Caller, TestService } from '../server/service.ts'
import type { Answer } from './http-client.ts'

export interface Asking {
  /** The editor where it does not say. */
  readonly as?: Caller
  readonly variables?: unknown
  readonly fixtures?: ReturnType<TestService['fixtures']>
}
/** What an error tells. */
export interface Refusal {
  readonly code?: string
  readonly path?: readonly (string | number)[]
  readonly details?: readonly string[] | undefined
  readonly message?: string
}
/** The first error is this one; answers the body. */
type AssertRefusal = (query: string, asking: Asking, refusal: Refusal) => Promise<Answer['body']>

export interface GraphqlClient {
  readonly fresh: () => ReturnType<TestService['fixtures']>
  readonly ask: (query: string, asking?: Asking) => Promise<Answer>
  readonly assertRefusal: AssertRefusal
  /** How many statements a question costs. */
  readonly statements: (query: string, asking: Asking) => Promise<number>
}

export function graphqlClient(service: () => TestService): GraphqlClient {
  const fresh = () => service().fixtures()
  const ask = (query: string, { as = 'editor', variables, fixtures = fresh() }: Asking = {}) =>
    service().graphql(query, { as, fixtures, ...(variables === undefined ? {} : { variables }) })
  const assertRefusal: AssertRefusal = async (query, asking, { code, path, details, message }) => {
    const { body, text } = await ask(query, asking)
    const [error] = body.errors ?? []
    assert.equal(error?.extensions.code, code, text)
    assert.deepEqual(error.path, path, text)
    assert.deepEqual(
      error.extensions.details?.map((each: { field: string }) => each.field),
      details,
      text,
    )
    if (message !== undefined) assert.equal(error.message, message)
    return body
  }
  const statements = async (query: string, asking: Asking): Promise<number> =>
    (await cost(service(), () => ask(query, asking))).statements
  return { fresh, ask, assertRefusal, statements }
}
