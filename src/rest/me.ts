// `me` stands for the caller's id, in every path of the resource that accounts are. (contract 2.4.7)

import { Failure } from '../failure/failure.ts'
import { accountOf, actorOf, type Requester } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'

/**
 * The id that a path names for a record of this resource. Fails with UNAUTHENTICATED where nobody is `me`, and with FORBIDDEN where
 * that is a key which is no account.
 */
export function idInPath(id: string, resource: ResourceModel, account: ResourceModel, requester: Requester): string {
  if (id !== 'me' || resource !== account) return id
  const me = accountOf(requester)
  if (me === null) throw new Failure(actorOf(requester) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  return me.id
}
