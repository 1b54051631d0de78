// The caller, as rules see it.

import type { Permission } from './naming/permission.ts'

export interface Actor {
  /** The account; null for a tenant's key. (contract 10.2.11) */
  readonly id: string | null
  /** The account's role; null without an account. */
  readonly role: string | null
  /** Everything the role grants, such as `posts:edit_own`. */
  readonly permissions: ReadonlySet<Permission>
  /** The scopes of an API key, such as `read:posts`; null for a user's own token. (contract 5.3.6) */
  readonly scopes: ReadonlySet<string> | null
  readonly credential: Credential
  /** Set for a tenant's key: the tenant, and the key's role there. */
  readonly tenant?: KeyTenant
  /** Set for an account's key that is narrowed to a tenant. (contract 10.2.19) */
  readonly confinedTo?: Confinement
  /** Set for a session without a second factor and for an account's key, if tenants may require one. (contract 10.2.23) */
  readonly isSingleFactor?: true
  readonly codeHash?: string
  readonly codeOrder?: readonly string[]
  readonly replays?: boolean
}
export interface KeyTenant {
  readonly id: string
  readonly resource: string
  readonly role: string
}
/** The tenant that a key is narrowed to, and the ids of those around it. */
export interface Confinement extends Omit<KeyTenant, 'role'> {
  readonly around: Readonly<Record<string, string>>
}
export interface Guest {
  /** Of several access codes, the set: their hashes in order, with commas. (contract 10.1.25) */
  readonly codeHash: string
  /** Set for several: the hashes as the codes were sent. */
  readonly codeOrder?: readonly string[]
  /** True for a replay of an earlier answer, for which the code needs no use left. (contract 10.1.18) */
  readonly replays?: boolean
}
export type Requester = Actor | Guest | null

/**
 * The service itself: every rule holds, and it is no account. For `asService`, `finish` and provisioning; a request cannot
 * contain a symbol.
 */
export const theService: unique symbol = Symbol('the service')
export type TheService = typeof theService
export type Caller = Requester | ServiceCaller

/** The service inside one tenant: every rule holds for its records, and for resources without such tenants. */
export interface ServiceInside {
  readonly inside: Pick<KeyTenant, 'id' | 'resource'>
}
export type ServiceCaller = TheService | ServiceInside
export const isService = (caller: Caller): caller is ServiceCaller =>
  caller === theService || (caller !== null && 'inside' in caller)

export const actorOf = (caller: Caller): Actor | null =>
  caller !== theService && caller !== null && 'id' in caller ? caller : null
export const accountOf = (caller: Caller): { readonly id: string; readonly role: string } | null => {
  const actor = actorOf(caller)
  return actor === null || actor.id === null ? null : { id: actor.id, role: actor.role! }
}
/** As rules see it: the service is anonymous. */
export const requesterOf = (caller: Caller): Requester => (isService(caller) ? null : caller)
/** What SQL compares with account ids. A tenant's key has the tenant's id, which only rules about tenants compare. */
export const actorIdOf = (caller: Caller): string | null => {
  const actor = actorOf(caller)
  return actor === null ? null : idOfActor(actor)
}
export const idOfActor = ({ id, tenant }: Pick<Actor, 'id' | 'tenant'>): string => (id ?? tenant?.id)!

export const codeHashOf = (caller: Caller): string | null =>
  isService(caller) || caller === null ? null : (caller.codeHash ?? null)

export const hasSeveralCodes = (caller: Caller): boolean => codeOrderOf(caller).length > 1
export const codeOrderOf = (caller: Caller): readonly string[] => {
  const code = codeHashOf(caller)
  return code === null ? [] : ((caller as Guest).codeOrder ?? [code])
}

/** A cache key: equal if the access codes lead to the same conditions. */
export const codeClassOf = (caller: Caller): string => {
  if (codeHashOf(caller) === null) return ''
  return ((caller as Guest).replays === true ? ' replay' : ' code') + (hasSeveralCodes(caller) ? 's' : '')
}
export const replaying = (caller: Caller): Caller =>
  isService(caller) || caller === null || codeHashOf(caller) === null ? caller : { ...caller, replays: true }

export interface Shown {
  /** The id of the account, the key's tenant, or the tenant the service acts in; null for anonymous callers. */
  readonly actor: string | null
  readonly code: string | null
}
export const shownBy = (caller: Caller): Shown => ({
  actor: caller !== theService && isService(caller) ? caller.inside.id : actorIdOf(caller),
  code: codeHashOf(caller),
})

export type Credential =
  | {
      readonly kind: 'bearer'
      readonly sessionId: string | null
      readonly expiresAt: Date
      /** When the caller last proved who they are; null or absent: unknown. (contract 5.10.1) */
      readonly authenticatedAt?: Date | null
    }
  | {
      readonly kind: 'apiKey'
      readonly keyId: string
      /** Its own limit of requests; null or absent: only that of its user. (contract 5.3.12) */
      readonly requestsPerHour?: number | null
    }

/** Of an actor that the service makes itself. */
export const noCredential: Credential = { kind: 'bearer', sessionId: null, expiresAt: new Date(0) }

export const keyLimitOf = (actor: Actor | null): { readonly id: string; readonly perHour: number } | null => {
  const credential = actor?.credential
  if (credential?.kind !== 'apiKey' || credential.requestsPerHour == null) return null
  return { id: credential.keyId, perHour: credential.requestsPerHour }
}

/** `read` of `posts` is granted by `read:posts`, `read:*` and `*`. Null scopes are unrestricted. (contract 5.3.6) */
export function hasScope(actor: Actor, verb: string, resource: string): boolean {
  const { scopes } = actor
  return scopes === null || scopes.has(`${verb}:${resource}`) || scopes.has(`${verb}:*`) || scopes.has('*')
}

/** A cache key: equal for actors whose rules reduce to the same conditions. */
export const roleClassOf = ({ role, tenant, confinedTo, isSingleFactor }: RoleClass): string => {
  if (tenant !== undefined) return `@${tenant.resource} ${tenant.role}`
  const ofRole = isSingleFactor === true ? `-${role}` : `+${role}`
  return confinedTo === undefined ? ofRole : `${ofRole} in ${confinedTo.id}`
}
type RoleClass = Pick<Actor, 'role' | 'tenant' | 'confinedTo' | 'isSingleFactor'>

/**
 * Why the credential does not permit a verb; null if it does. API keys never see or change credentials. (contract 5.3.6, 5.3.7)
 */
export function credentialRefusal(
  caller: Caller,
  verb: string,
  { path, isCredential = false }: { readonly path: string; readonly isCredential?: boolean },
): 'INSUFFICIENT_SCOPE' | 'FORBIDDEN' | null {
  const actor = actorOf(caller)
  if (actor === null || actor.scopes === null) return null
  if (!hasScope(actor, verb, path)) return 'INSUFFICIENT_SCOPE'
  return isCredential ? 'FORBIDDEN' : null
}
