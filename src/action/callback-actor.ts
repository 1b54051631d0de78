// The actor as code of a definition sees it: an account or null. Reading a tenant's key fails. (contract 10.2.13)

import { Failure } from '../failure/failure.ts'
import { accountOf, actorOf, type Caller } from '../resource/actor.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { fold } from '../resource/model/rule/condition.ts'

export type CallbackActor = { readonly id: string; readonly role: string } | null

/** `of`: the action or query whose code runs; null if the resource has none. */
export const callbackActor = (
  caller: Caller,
  of: { readonly allow: RuleNode; readonly resource: ResourceModel } | null,
): CallbackActor => actorFor(caller, () => of !== null && fold(of.allow, of.resource, null).is !== 'never')

/** A tenant's key is null if the rule admits anonymous callers. Otherwise reading it fails, since the code may rely on an account. */
export function actorFor(caller: Caller, admitsAnonymous: () => boolean): CallbackActor {
  const account = accountOf(caller)
  if (account !== null || actorOf(caller) === null) return account
  return admitsAnonymous() ? null : keyOfTenant
}

export const withoutAccount = (): Failure =>
  new Failure('FORBIDDEN', { message: 'This needs an account, and the key of a tenant is none.' })

/** Fails when the code reads it. */
const keyOfTenant: NonNullable<CallbackActor> = {
  get id(): string {
    throw withoutAccount()
  },
  get role(): string {
    throw withoutAccount()
  },
}
