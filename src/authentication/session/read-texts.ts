// Reads the bodies of /auth: objects of texts. (contract 4.12.6)

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Json } from '../../json/json.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { kindOf } from '../../resource/field/registry.ts'

/** Each member is a text of 1 to 4,096 characters. VALIDATION_ERROR lists all problems. */
export function readTexts<const N extends string>(body: Json, names: readonly N[]): Readonly<Record<N, string>> {
  const details: Detail[] = []
  const members = membersOf(body)
  if (members === null) throw formFailure([{ field: '', message: 'Must be an object.' }])
  for (const name of Object.keys(members))
    if (!names.includes(name as N)) details.push({ field: name, message: 'There is no such field.' })
  for (const name of names) {
    const message = problemOf(Object.hasOwn(members, name) ? members[name] : undefined)
    if (message !== null) details.push({ field: name, message })
  }
  if (details.length > 0) throw formFailure(details)
  return members as Readonly<Record<N, string>>
}

/** Null for what is no object. */
export const membersOf = (body: Json | undefined): Readonly<Record<string, Json>> | null =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Readonly<Record<string, Json>>) : null

function problemOf(value: Json | undefined): string | null {
  if (value === undefined) return 'Is required.'
  if (typeof value !== 'string') return 'Must be text.'
  if (value === '') return 'Must not be empty.'
  return value.length > 4_096 ? 'At most 4096 characters.' : null
}

/** VALIDATION_ERROR unless the text fits this field of accounts. */
export function requireField(name: string, value: string, spec: SpecBase): void {
  const details: Detail[] = []
  kindOf(spec).check(
    spec,
    value,
    (_, message) => void details.push({ field: name, message }),
    (part) => part,
  )
  if (details.length > 0) throw formFailure(details)
}

export const formFailure = (details: readonly Detail[]): Failure => new Failure('VALIDATION_ERROR', { details })
