// Scope and description of a custom route's access; `action/` decides it. (contract 5.3.6, 5.5.1)

import { mayUse, type RouteScope } from '../action/code/route-access.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import { freshSentence } from '../resource/model/rule/rule-sentence.ts'
import { definitionsOf, type RouteDefinition } from './definition.ts'
import type { AuthorRoute } from './route.ts'

/** Fixed by a standard, so outside the versions. (RFC 8615) */
export const isWellKnown = (path: string): boolean => path.startsWith('/.well-known/')

const verbs = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const
/** Derived, so that it cannot be forgotten. */
export const scopeOf = ({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): RouteScope => ({
  verb: verbs[method],
  path: isWellKnown(path) ? 'well-known' : path.split('/')[3]!,
})

/** Such as `read:reports`. */
export const routeScopes = (routes: readonly AuthorRoute[]): readonly string[] =>
  definitionsOf(routes).map((each) => {
    const { verb, path } = scopeOf(each)
    return `${verb}:${path}`
  })

/** Open to anonymous callers. */
export const isOpen = (rule: RuleNode): boolean => mayUse(rule, null)

/** Such as `anyone who is signed in`. */
export function accessSentence(rule: RuleNode): string {
  switch (rule.rule) {
    case 'anyone':
      return 'anyone'
    case 'signedIn':
      return 'anyone who is signed in'
    case 'fresh':
      return freshSentence(rule.seconds)
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
