// Rejects unknown scopes: a key with a typo would silently permit nothing. (contract 5.3.2)

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Model } from '../../resource/model/model.ts'
import { permission } from '../../resource/naming/permission.ts'
import type { GuardedWrite } from '../guard.ts'

/** Expects a validated write. BUSINESS_RULE_VIOLATION if a new key has an unknown scope. */
export type RequireKnownScopes = (write: GuardedWrite) => void

/** `routes`: the scopes of custom routes, such as `read:reports`. */
export function createRequireKnownScopes(model: Model, routes: readonly string[]): RequireKnownScopes {
  const routeScopes = new Set(routes)
  const verbs = new Set([
    ...model.resources.flatMap(({ actions }) => [...actions.keys()]),
    ...routes.map((scope) => scope.split(':', 1)[0]!),
  ])
  const isKnown = (scope: string): boolean => {
    const [verb, path] = scope.split(':') as [string, string?]
    if (path === undefined || path === '*') return verb === '*' || verbs.has(verb)
    const resource = model.byPath.get(path)
    if (resource === undefined) return routeScopes.has(scope)
    return resource.actions.has(verb) || model.permissions.has(permission(path, verb))
  }
  return ({ action, targets, vocabulary }) => {
    if (action.resource.name !== 'ApiKey' || action.kind !== 'create') return
    const field = vocabulary.name(action.resource, 'scopes')
    const details = targets.flatMap(({ input }, target) => {
      const scopes = (input as Readonly<Record<string, readonly string[]>>)[field]!
      return scopes.flatMap((scope, index): Detail[] =>
        isKnown(scope) ? [] : [{ field: `${field}[${index}]`, message: `There is no scope ${scope} here.`, target }],
      )
    })
    if (details.length === 0) return
    throw new Failure('BUSINESS_RULE_VIOLATION', { message: details[0]!.message, details })
  }
}
