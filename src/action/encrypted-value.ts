// Secrets are stored encrypted and bound to their record and field; code sees them in clear. (contract 11.4.1)

import type { DataCipher } from '../encryption/data-cipher.ts'
import { invariant } from '../failure/failure.ts'
import type { Column } from '../resource/model/column.ts'
import type { ResourceModel } from '../resource/model/model.ts'

/** Null without encryption. */
export type Cipher = DataCipher | null

export function storedValue({ field, encrypted }: Column, value: unknown, id: string, cipher: Cipher): unknown {
  if (!encrypted || value === null || value === undefined) return value
  invariant(cipher !== null, `a service that stores ${field} has a key to encrypt it`)
  return cipher.encrypt(value as string, about(field, id))
}

/** Decrypts a secret, also one that is bound to an older name of its field. */
export function clearValue(
  column: Column,
  value: unknown,
  resource: ResourceModel,
  id: string,
  cipher: Cipher,
): unknown {
  if (value === null) return null
  invariant(cipher !== null, `a service that stores ${column.field} has a key to decrypt it`)
  const former = formerNames(column, resource)
  for (const name of former) {
    try {
      return cipher.decrypt(value as string, about(name, id))
    } catch {
      // It may be bound to the current name.
    }
  }
  return cipher.decrypt(value as string, about(column.field, id))
}

const about = (field: string, id: string): string => `${field} of ${id}`

const formerNames = ({ field, spec }: Column, { olderNames }: ResourceModel): readonly string[] => [
  ...(typeof spec.was === 'string' ? [spec.was] : []),
  ...[...olderNames.values()].flatMap((names) => names.get(field) ?? []),
]
