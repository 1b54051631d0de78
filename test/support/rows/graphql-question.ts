// The question to GraphQL that asks what a question to REST asks, in GraphQL's names.

import type { Also, Expected } from './clauses.ts'

type Body = Readonly<Record<string, unknown>>

/** Creates a record: `createPost(input)`. */
export const createTwin = (type: string, body: Body, selected = 'id'): Also => ({
  query: `mutation ($input: Create${type}Input!) { create${type}(input: $input) { ${selected} } }`,
  variables: { input: camelled(body) },
})

/** Changes what is named: `updatePost(id, input)`. */
export const updateTwin = (type: string, id: string, body: Body, selected = 'id'): Also => ({
  query: `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { ${selected} } }`,
  variables: { id, input: camelled(body) },
})

/** `deletePost(id)`, or a move such as `publishPost(id)` where fields are selected. */
export const actionTwin = (action: string, type: string, id: string, selected?: string): Also => ({
  query: `mutation { ${action}${type}(id: "${id}") ${selected === undefined ? '' : `{ ${selected} }`} }`,
})

/** The same with an answer of its own. */
export const answering = (also: Also, answer: Partial<Expected>): Also => ({ ...also, answer })

/** Names of members in camelCase, at any depth; what `preferences` holds is the client's own. */
export function camelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelled)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [camel(name), name === 'preferences' ? each : camelled(each)]),
  )
}
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
