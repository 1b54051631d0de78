// What the access of a custom route needs and how it reads. Who has it, the part `action/` says. (contract 5.3.6, 5.5.1)

import { mayUse, type RouteScope } from '../../action/route-access.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { definitionsOf, type RouteDefinition } from './definition.ts'
import type { AuthorRoute } from './route.ts'

/** Where a path is fixed by a standard, beside all versions. (RFC 8615) */
export const isWellKnown = (path: string): boolean => path.startsWith('/.well-known/')

const verbs = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const
/** Worked out, so that it is never forgotten. */
export const scopeOf = ({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): RouteScope => ({
  verb: verbs[method],
  path: isWellKnown(path) ? 'well-known' : path.split('/')[3]!,
})

/** The scopes of these routes, such as `read:reports`. */
export const routeScopes = (routes: readonly AuthorRoute[]): readonly string[] =>
  definitionsOf(routes).map((each) => {
    const { verb, path } = scopeOf(each)
    return `${verb}:${path}`
  })

/** Whether somebody who is not signed in may. */
export const isOpen = (rule: RuleNode): boolean => mayUse(rule, null)

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
