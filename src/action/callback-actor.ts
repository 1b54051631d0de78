// Who asks, as code of a definition sees it: an account, or nobody. A key that belongs to a tenant is neither. (contract 10.2.13)

import { Failure } from '../failure/failure.ts'
import { type Asker, accountOf, actorOf } from '../resource/actor.ts'
import type { RuleNode } from '../resource/language/rule.ts'
import { fold } from '../resource/model/condition.ts'
import type { ResourceModel } from '../resource/model/model.ts'

export type CallbackActor = { readonly id: string; readonly role: string } | null

/** For the code of an action or a query; null for that of a resource which has no such action. */
export const callbackActor = (
  asker: Asker,
  of: { readonly allow: RuleNode; readonly resource: ResourceModel } | null,
): CallbackActor => actorFor(asker, () => of !== null && fold(of.allow, of.resource, null).is !== 'never')

/** Code that nobody in particular may run is told of nobody; other code may rely on an account, and is kept from keys that are none. */
export function actorFor(asker: Asker, isForNobody: () => boolean): CallbackActor {
  const account = accountOf(asker)
  if (account !== null || actorOf(asker) === null) return account
  return isForNobody() ? null : keyOfTenant
}

/** Code of a definition asks for the account of a key that is none. */
export const withoutAccount = (): Failure =>
  new Failure('FORBIDDEN', { message: 'This needs an account, and the key of a tenant is none.' })

/** Refused as soon as the code looks. */
const keyOfTenant: NonNullable<CallbackActor> = {
  get id(): string {
    throw withoutAccount()
  },
  get role(): string {
    throw withoutAccount()
  },
}
