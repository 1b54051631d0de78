// A record named by a key in a path: `by/region/eu/code/7`, values percent-encoded. (contract 11.2.8)

import { Failure } from '../failure/failure.ts'
import { valueOfText } from '../resource/field/registry.ts'
import type { KeyModel } from '../resource/model/column.ts'
import type { KeyName } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Version } from './version.ts'

/** Reads the names and values behind `by`, in whatever order; before them, the tenant of a key that counts in one. Fails with NOT_FOUND where one is not well encoded. */
export function readKeyPath(pairs: string, key: KeyModel, resource: ResourceModel, { vocabulary }: Version): KeyName {
  const parts = pairs.split('/')
  // The tenant that it is below comes first.
  const first = key.tenant === null ? 0 : 1
  const sent = key.columns.map((column) => {
    if (column === key.tenant) return decoded(parts[0]!, resource)
    const name = vocabulary.name(resource, column.field)
    const at = parts.findIndex((part, index) => index >= first && (index - first) % 2 === 0 && part === name)
    return valueOfText(decoded(parts[at + 1]!, resource), column.spec)
  })
  return { key, sent }
}

function decoded(text: string, { notFound }: ResourceModel): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Nothing can be stored under what is no text.
    throw new Failure(notFound)
  }
}
