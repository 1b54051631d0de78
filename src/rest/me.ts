// `me` is the caller's id in every path of the account resource. (contract 2.4.7)

import { Failure } from '../failure/failure.ts'
import { accountOf, actorOf, type Requester } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'

/** Fails with UNAUTHENTICATED for `me` of an anonymous caller, FORBIDDEN for that of a key without an account. */
export function idInPath(id: string, resource: ResourceModel, account: ResourceModel, requester: Requester): string {
  if (id !== 'me' || resource !== account) return id
  const me = accountOf(requester)
  if (me === null) throw new Failure(actorOf(requester) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  return me.id
}
