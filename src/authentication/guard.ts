// Two rules that no definition can express: what an API key must never write, whatever its scopes, and which scopes a
// person may give to a key. (contract 5.3.7, 5.3.8)

import { Failure } from '../failure/failure.ts'
import { type Actor, type Asker, actorOf } from '../resource/actor.ts'
import { fold } from '../resource/model/condition.ts'
import type { ActionModel, Model } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { permission } from '../resource/naming/permission.ts'

/** A requested write, whose inputs have not been validated. */
export interface GuardedWrite {
  readonly action: ActionModel
  readonly actor: Asker
  readonly targets: readonly { readonly input: unknown }[]
  readonly vocabulary: Vocabulary
}

/** Fails with FORBIDDEN. */
export type Guard = (write: GuardedWrite) => void

export function createGuard(model: Model): Guard {
  const { resource: accounts, role, password } = model.accounts
  const isManaging = ({ action, targets, vocabulary }: GuardedWrite): boolean => {
    const { resource } = action
    if (resource !== accounts) return false
    const secret = action.kind === 'create' ? [role] : [role, password]
    const names = secret.map(({ field }) => vocabulary.name(resource, field))
    return targets.some(({ input }) => names.some((name) => memberOf(input, name) !== undefined))
  }
  return (write) => {
    const { action, targets, vocabulary } = write
    const actor = actorOf(write.actor)
    if (actor?.credential.kind === 'apiKey' && isManaging(write)) {
      throw new Failure('FORBIDDEN', { message: 'An API key cannot change roles or passwords.' })
    }
    if (actor === null || action.resource.name !== 'ApiKey' || action.kind !== 'create') return
    const name = vocabulary.name(action.resource, 'scopes')
    for (const { input } of targets) requireGrantable(memberOf(input, name), actor, model)
  }
}

const memberOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined

/**
 * A key never may do more than its owner, so a scope such as `*` means "all that the owner may". A scope for what the owner
 * may never do is refused: it would silently take effect when the owner gets another role.
 */
function requireGrantable(scopes: unknown, actor: Actor, model: Model): void {
  // Anything but a list is left to validation, which reports it.
  if (!Array.isArray(scopes)) return
  const refusedScope = scopes.find((scope) => typeof scope === 'string' && isBeyond(scope, actor, model))
  if (refusedScope !== undefined)
    throw new Failure('FORBIDDEN', { message: `You may not give the scope ${refusedScope}.` })
}

function isBeyond(scope: string, actor: Actor, model: Model): boolean {
  const [verb, path, ...more] = scope.split(':') as [string, string?, ...string[]]
  const resource = path === undefined || more.length > 0 ? undefined : model.byPath.get(path)
  if (resource === undefined) return false
  const action = resource.actions.get(verb)
  if (action !== undefined) return fold(action.allow, resource, actor).is === 'never'
  const word = permission(resource.path, verb)
  return model.permissions.has(word) && !actor.permissions.has(word)
}
