// Answered by graphql-js; only if introspection is allowed. (contract 5.4.4)

import { type DocumentNode, executeSync, type GraphQLSchema, Kind } from 'graphql'
import { type ErrorEntry, entryOfGraphql } from '../error.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import type { TreeField } from '../prepare/tree.ts'

/** Null if graphql-js refuses it. */
export function introspect(
  schema: GraphQLSchema,
  { operation, sent }: PreparedOperation,
  { key, nodes }: TreeField,
): { readonly json: string | null; readonly errors: readonly ErrorEntry[] } {
  const alone = { ...operation.node, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } } as const
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [alone, ...operation.fragments.values()] }
  const { data, errors = [] } = executeSync({ schema, document, variableValues: sent })
  const value = data?.[key]
  return {
    json: value === undefined || value === null ? null : JSON.stringify(value),
    errors: errors.map((each) => ({ ...entryOfGraphql(each, 'VALIDATION_ERROR'), path: each.path ?? [key] })),
  }
}
