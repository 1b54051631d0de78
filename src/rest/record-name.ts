// The record that a path names: by its id, by `me`, or by a key. (contract 2.4.7, 11.2.8)

import type { RecordName } from '../action/call.ts'
import { Failure } from '../failure/failure.ts'
import { accountOf, actorOf, type Requester } from '../resource/actor.ts'
import { valueOfText } from '../resource/field/registry.ts'
import type { KeyModel } from '../resource/model/column.ts'
import { type KeyName, ownTenant } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { ResourceEndpoint } from './route/routes.ts'
import type { Version } from './route/version.ts'

/** Of this resource. Fails with UNAUTHENTICATED for `me` of an anonymous caller, FORBIDDEN for that of a key without an account. */
export function readRecordName(
  id: string,
  { key, version }: Pick<ResourceEndpoint, 'key' | 'version'>,
  resource: ResourceModel,
  account: ResourceModel,
  requester: Requester,
): RecordName {
  if (key !== undefined) return readKeyPath(id, key, resource, version)
  if (id !== 'me' || resource !== account) return id
  const me = accountOf(requester)
  if (me === null) throw new Failure(actorOf(requester) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  return me.id
}

/**
 * Reads the names and values after `by`, such as `region/eu/code/7`, in any order, after the tenant of a key within
 * one. Fails with NOT_FOUND on invalid encoding.
 */
export function readKeyPath(pairs: string, key: KeyModel, resource: ResourceModel, { vocabulary }: Version): KeyName {
  const parts = pairs.split('/')
  const first = key.tenant === null ? 0 : 1
  const sent = key.columns.map((column) => {
    if (column === key.tenant) return decoded(parts[0]!, resource)
    const name = vocabulary.name(resource, column.field)
    const at = parts.findIndex((part, index) => index >= first && (index - first) % 2 === 0 && part === name)
    return valueOfText(decoded(parts[at + 1]!, resource), column.spec)
  })
  return { key, sent, names: key.columns.map(({ field }) => vocabulary.name(resource, field)) }
}

/** The same below the caller's tenant. Without one it is below none, where no key has a record. (contract 11.2.32) */
export const inOwnTenant = (
  pairs: string,
  { within, resource, key }: Pick<ResourceEndpoint, 'within' | 'resource' | 'key'>,
  requester: Requester,
): string => `${ownTenant(within?.holder ?? resource, key!, requester) ?? noTenant}/${pairs}`
export const isOfNoTenant = ({ key, sent }: KeyName): boolean =>
  key.tenant !== null && sent[key.columns.indexOf(key.tenant)] === noTenant
const noTenant = '-'

function decoded(text: string, { notFound }: ResourceModel): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Invalid UTF-8 cannot be a stored value.
    throw new Failure(notFound)
  }
}
