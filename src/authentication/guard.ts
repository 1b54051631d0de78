// Two rules no definition can express: what an API key may never write, and which scopes a user may grant to a key. (contract
// 5.3.7, 5.3.8)

import { Failure } from '../failure/failure.ts'
import { type Actor, actorOf, type Caller } from '../resource/actor.ts'
import type { ActionModel, Model, ResourceModel } from '../resource/model/model.ts'
import { allowCondition } from '../resource/model/rule/record-action.ts'
import { tenantRelations } from '../resource/model/tenant/tenant-key.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { permission } from '../resource/naming/permission.ts'

export interface GuardedWrite {
  readonly action: ActionModel
  readonly actor: Caller
  readonly targets: readonly { readonly input: unknown }[]
  readonly vocabulary: Vocabulary
}

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
    const name = (field: string) => vocabulary.name(action.resource, field)
    for (const { input } of targets) {
      const holder = keyOfTenant(input, action.resource, name) ?? actor
      requireGrantable(memberOf(input, name('scopes')), holder, model)
    }
  }
}

/** The actor that the new key would be; null if it belongs to no tenant. */
function keyOfTenant(input: unknown, keys: ResourceModel, name: (field: string) => string): Actor | null {
  const role = keys.column.has('role') ? memberOf(input, name('role')) : undefined
  if (typeof role !== 'string') return null
  const relation = tenantRelations(keys).find(({ field }) => typeof memberOf(input, name(field)) === 'string')
  if (relation === undefined) return null
  const tenant = { id: memberOf(input, name(relation.field)) as string, resource: relation.target.name, role }
  const credential = { kind: 'apiKey', keyId: '' } as const
  return { id: null, role: null, permissions: new Set(), scopes: null, credential, tenant }
}

const memberOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined

/**
 * A key never exceeds its owner, so `*` means all the owner may do. A scope that the owner (or the key's tenant role) cannot use is
 * refused, as it would silently take effect with a later role.
 */
function requireGrantable(scopes: unknown, actor: Actor, model: Model): void {
  // Validation reports malformed scopes.
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
  if (action !== undefined) return allowCondition(action, actor).is === 'never'
  const word = permission(resource.path, verb)
  // A permission that tenant roles may grant does not depend on the service role alone.
  return model.permissions.has(word) && resource.tenants.length === 0 && !actor.permissions.has(word)
}
