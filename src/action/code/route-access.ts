// Decides who may use a custom route. There is no record, so the caller alone decides. (contract 5.4, 5.5.1)

import { Failure } from '../../failure/failure.ts'
import { actorOf, hasScope, type Requester } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { Permission } from '../../resource/naming/permission.ts'

/** The scope that an API key needs: `read:reports` for `GET /api/v2/reports/sales`. */
export interface RouteScope {
  readonly verb: string
  readonly path: string
}

/** Fails with UNAUTHENTICATED, FORBIDDEN, or INSUFFICIENT_SCOPE if an API key lacks the scope. (contract 5.3.6, 5.5.1) */
export function requireAccess(access: RuleNode, { verb, path }: RouteScope, requester: Requester): void {
  const actor = actorOf(requester)
  if (!mayUse(access, requester)) throw new Failure(actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  if (actor === null || hasScope(actor, verb, path)) return
  throw new Failure('INSUFFICIENT_SCOPE', { message: `This needs the scope ${verb}:${path}.` })
}

/** Scopes of API keys are checked separately. */
export function mayUse(rule: RuleNode, requester: Requester): boolean {
  const actor = actorOf(requester)
  switch (rule.rule) {
    case 'anyone':
      return true
    case 'signedIn':
      return actor !== null
    case 'fresh':
      return actor !== null && actor.credential.kind === 'bearer'
    case 'may':
      return actor?.permissions.has(rule.verb as Permission) ?? false
    case 'anyOf':
      return rule.rules.some((each) => mayUse(each, requester))
    case 'allOf':
      return rule.rules.every((each) => mayUse(each, requester))
    default:
      // Rules about records admit no caller here; the start refuses them.
      return false
  }
}
