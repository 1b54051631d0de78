// Who may use a route of an author's own. There is no record to ask: what the caller is decides everything. (contract 5.4, 5.5.1)

import { Failure } from '../../failure/failure.ts'
import { type Actor, hasScope } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import type { Permission } from '../../resource/naming/permission.ts'
import { definitionsOf, type RouteDefinition } from './definition.ts'
import type { AuthorRoute } from './route.ts'

/** What an API key needs: `read:reports` for `GET /api/v2/reports/sales`. Worked out, so that it is never forgotten. */
export interface RouteScope {
  readonly verb: string
  readonly path: string
}
const verbs = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const
export const scopeOf = ({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): RouteScope => ({
  verb: verbs[method],
  path: path.split('/')[3]!,
})

/** The scopes of these routes, such as `read:reports`. */
export const routeScopes = (routes: readonly AuthorRoute[]): readonly string[] =>
  definitionsOf(routes).map((each) => {
    const { verb, path } = scopeOf(each)
    return `${verb}:${path}`
  })

/** Fails with UNAUTHENTICATED, FORBIDDEN, or INSUFFICIENT_SCOPE where an API key lacks the scope. (contract 5.3.6, 5.5.1) */
export function authorizeRoute(definition: RouteDefinition, { verb, path }: RouteScope, actor: Actor | null): void {
  if (!allows(definition.access, actor)) throw new Failure(actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  if (actor === null || hasScope(actor, verb, path)) return
  throw new Failure('INSUFFICIENT_SCOPE', { message: `This needs the scope ${verb}:${path}.` })
}

/** Whether somebody who is not signed in may. */
export const isOpen = (rule: RuleNode): boolean => allows(rule, null)

/** Whether this caller may, as a person: the scopes of an API key are asked besides. */
export function allows(rule: RuleNode, actor: Actor | null): boolean {
  switch (rule.rule) {
    case 'anyone':
      return true
    case 'signedIn':
      return actor !== null
    case 'may':
      return actor?.permissions.has(rule.verb as Permission) ?? false
    case 'anyOf':
      return rule.rules.some((each) => allows(each, actor))
    case 'allOf':
      return rule.rules.every((each) => allows(each, actor))
    default:
      // Rules about a record let nobody in where there is none; the start refuses them.
      return false
  }
}

/** Who may, such as `anyone who is signed in`. */
export function accessSentence(rule: RuleNode): string {
  switch (rule.rule) {
    case 'anyone':
      return 'anyone'
    case 'signedIn':
      return 'anyone who is signed in'
    case 'may':
      return `holders of ${rule.verb}`
    case 'anyOf':
      return rule.rules.map(accessSentence).join('; ')
    case 'allOf':
      return rule.rules.map((each) => `(${accessSentence(each)})`).join(', and only ')
    default:
      return 'nobody'
  }
}
