// Who is asking, as rules see it.

import type { Permission } from './naming/permission.ts'

/** Somebody with a credential that was accepted. */
export interface Actor {
  /** The account; null for a key that belongs to a tenant, which is none. (contract 10.2.11) */
  readonly id: string | null
  /** The account's role; null where there is none. */
  readonly role: string | null
  /** Everything the role grants, such as `posts:edit_own`. Shared by all actors of that role. */
  readonly permissions: ReadonlySet<Permission>
  /** What an API key is narrowed to, such as `read:posts`; null for a person's own token. (contract 5.3.6) */
  readonly scopes: ReadonlySet<string> | null
  readonly credential: Credential
  /** Of a key that belongs to a tenant: which, and what it may there. */
  readonly tenant?: KeyTenant
  /** The hash of the access code that the request shows beside it. */
  readonly codeHash?: string
  /** As of a guest. */
  readonly replays?: boolean
}
/** The record that an API key belongs to, the name of its resource, and the key's role inside. */
export interface KeyTenant {
  readonly id: string
  readonly resource: string
  readonly role: string
}
/** Nobody, who shows an access code: the token of a record, for rules that ask for it. */
export interface Guest {
  readonly codeHash: string
  /** True where they are answered again what they did with the code: it need not be left any use. (contract 10.1.18) */
  readonly replays?: boolean
}
/** Who sends a request, with what it shows. */
export type Requester = Actor | Guest | null

/**
 * The service itself, acting for nobody who asked: every rule holds for it, and it is no account. Only `asService`, `finish` and
 * provisioning ask as it, and a symbol stands in no request.
 */
export const theService: unique symbol = Symbol('the service')
export type TheService = typeof theService
/** For whom a call is made: an actor, the service itself, or nobody. */
export type Asker = Requester | ServiceAsker

/** The service itself inside one tenant: every rule holds for it of what is in there, and of what is in no such tenant. */
export interface ServiceInside {
  readonly inside: Pick<KeyTenant, 'id' | 'resource'>
}
export type ServiceAsker = TheService | ServiceInside
export const isService = (asker: Asker): asker is ServiceAsker =>
  asker === theService || (asker !== null && 'inside' in asker)

/** The actor who asks; null where that is nobody, or the service. */
export const actorOf = (asker: Asker): Actor | null =>
  asker !== theService && asker !== null && 'id' in asker ? asker : null
/** The account that asks; null where that is nobody, the service, or a key that belongs to a tenant. */
export const accountOf = (asker: Asker): { readonly id: string; readonly role: string } | null => {
  const actor = actorOf(asker)
  return actor === null || actor.id === null ? null : { id: actor.id, role: actor.role! }
}
/** Who asks, as rules of the definition see it: the service is nobody. */
export const requesterOf = (asker: Asker): Requester => (isService(asker) ? null : asker)
/**
 * What statements compare with the accounts that records name: an account, or, for a key that belongs to a tenant, that one, of
 * which then only rules about tenants ask.
 */
export const actorIdOf = (asker: Asker): string | null => {
  const actor = actorOf(asker)
  return actor === null ? null : idOfActor(actor)
}
/** The account, or the tenant that a key belongs to. */
export const idOfActor = ({ id, tenant }: Pick<Actor, 'id' | 'tenant'>): string => (id ?? tenant?.id)!

/** What statements compare with the tokens of records. */
export const codeHashOf = (asker: Asker): string | null =>
  isService(asker) || asker === null ? null : (asker.codeHash ?? null)

/** Whether a code is shown, and what for: the same text for all who get the same conditions by it. */
export const codeClassOf = (asker: Asker): '' | ' code' | ' replay' =>
  codeHashOf(asker) === null ? '' : (asker as Guest).replays === true ? ' replay' : ' code'
/** The same, who is answered again what they did. */
export const replaying = (asker: Asker): Asker =>
  isService(asker) || asker === null || codeHashOf(asker) === null ? asker : { ...asker, replays: true }

/** What a request shows of whoever asks, as far as statements compare with it. */
export interface Shown {
  /** The id of the account, of the tenant that a key belongs to, or of that inside which the service asks; null for nobody. */
  readonly actor: string | null
  /** The hash of the access code; null where none is shown. */
  readonly code: string | null
}
export const shownBy = (asker: Asker): Shown => ({
  actor: asker !== theService && isService(asker) ? asker.inside.id : actorIdOf(asker),
  code: codeHashOf(asker),
})

export type Credential =
  | { readonly kind: 'bearer'; readonly tokenId: string; readonly sessionId: string | null; readonly expiresAt: Date }
  | { readonly kind: 'apiKey'; readonly keyId: string }

/** `read` of `posts` is granted by `read:posts`, `read:*` and `*`; null is a person, whom no scope narrows. (contract 5.3.6) */
export function hasScope(actor: Actor, verb: string, resource: string): boolean {
  const { scopes } = actor
  return scopes === null || scopes.has(`${verb}:${resource}`) || scopes.has(`${verb}:*`) || scopes.has('*')
}

/** The same text for all actors for whom rules leave the same conditions: by the role, of the service or inside a tenant. */
export const roleClassOf = ({ role, tenant }: Pick<Actor, 'role' | 'tenant'>): string =>
  tenant === undefined ? `+${role}` : `@${tenant.resource} ${tenant.role}`

/** Where credentials are kept: no API key sees or changes them, whatever its scopes. (contract 5.3.7) */
const credentialResources: ReadonlySet<string> = new Set(['ApiKey', 'Session'])

/** Why the asker's credential does not reach a verb of a resource; null where it does. (contract 5.3.6, 5.3.7) */
export function credentialRefusal(
  asker: Asker,
  verb: string,
  { name, path }: { readonly name: string; readonly path: string },
): 'INSUFFICIENT_SCOPE' | 'FORBIDDEN' | null {
  const actor = actorOf(asker)
  if (actor === null || actor.scopes === null) return null
  if (!hasScope(actor, verb, path)) return 'INSUFFICIENT_SCOPE'
  return credentialResources.has(name) ? 'FORBIDDEN' : null
}
