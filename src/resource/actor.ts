// Who is asking, as rules see it.

import type { Permission } from './naming/permission.ts'

/** Somebody with a credential that was accepted. */
export interface Actor {
  readonly id: string
  readonly role: string
  /** Everything the role grants, such as `posts:edit_own`. Shared by all actors of that role. */
  readonly permissions: ReadonlySet<Permission>
  /** What an API key is narrowed to, such as `read:posts`; null for a person's own token. (contract 5.3.6) */
  readonly scopes: ReadonlySet<string> | null
  readonly credential: Credential
  /** The hash of the access code that the request shows beside it. */
  readonly codeHash?: string
}
/** Nobody, who shows an access code: the token of a record, for rules that ask for it. */
export interface Guest {
  readonly codeHash: string
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
export type Asker = Requester | TheService

/** The actor who asks; null where that is nobody, or the service. */
export const actorOf = (asker: Asker): Actor | null =>
  asker !== theService && asker !== null && 'id' in asker ? asker : null
/** Who asks, as rules of the definition see it: the service is nobody. */
export const requesterOf = (asker: Asker): Requester => (asker === theService ? null : asker)
/** What statements compare with the accounts that records name. */
export const actorIdOf = (asker: Asker): string | null => actorOf(asker)?.id ?? null

/** What statements compare with the tokens of records. */
export const codeHashOf = (asker: Asker): string | null =>
  asker === theService || asker === null ? null : (asker.codeHash ?? null)

export type Credential =
  | { readonly kind: 'bearer'; readonly tokenId: string; readonly sessionId: string | null; readonly expiresAt: Date }
  | { readonly kind: 'apiKey'; readonly keyId: string }

/** `read` of `posts` is granted by `read:posts`, `read:*` and `*`; null is a person, whom no scope narrows. (contract 5.3.6) */
export function hasScope(actor: Actor, verb: string, resource: string): boolean {
  const { scopes } = actor
  return scopes === null || scopes.has(`${verb}:${resource}`) || scopes.has(`${verb}:*`) || scopes.has('*')
}

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
