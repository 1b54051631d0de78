// Reads what a browser makes of a credential: the JSON of WebAuthn, in which newer browsers add members. (contract 5.15.3)

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Json } from '../../json/json.ts'
import { membersOf } from '../session/read-texts.ts'

/** `AuthenticationResponseJSON` of WebAuthn. */
export interface SentAssertion {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle: string
}
/** `RegistrationResponseJSON` of WebAuthn. */
export interface SentRegistration {
  readonly id: string
  readonly clientDataJSON: string
  readonly attestationObject: string
}

/** VALIDATION_ERROR lists all problems. */
export const readAssertion = (sent: Json | undefined, field: string): SentAssertion =>
  readMembers(sent, field, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'])

/** VALIDATION_ERROR lists all problems. */
export const readRegistration = (sent: Json | undefined, field: string): SentRegistration =>
  readMembers(sent, field, ['clientDataJSON', 'attestationObject'])

function readMembers<const N extends string>(
  sent: Json | undefined,
  field: string,
  names: readonly N[],
): Readonly<Record<N | 'id', string>> {
  const details: Detail[] = []
  const note = (path: string, message: string) => void details.push({ field: path, message })
  const objectAt = (path: string, value: Json | undefined) => {
    const members = membersOf(value)
    if (members === null) note(path, value === undefined ? 'Is required.' : 'Must be an object.')
    return members
  }
  const credential = objectAt(field, sent)
  if (credential === null) throw new Failure('VALIDATION_ERROR', { details })
  const [id, response] = [credential['id'], objectAt(`${field}.response`, credential['response']) ?? {}]
  if (!isBytes(id)) note(`${field}.id`, needsBytes)
  if (credential['rawId'] !== id) note(`${field}.rawId`, 'Must be the same as id.')
  if (credential['type'] !== 'public-key') note(`${field}.type`, 'Must be public-key.')
  for (const name of names) if (!isBytes(response[name])) note(`${field}.response.${name}`, needsBytes)
  if (details.length > 0) throw new Failure('VALIDATION_ERROR', { details })
  return { ...(response as Readonly<Record<N, string>>), id: id as string }
}
const needsBytes = 'Must be bytes in base64url.'

/** One text per value: without padding, and with zero in unused bits. */
const isBytes = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && Buffer.from(value, 'base64url').toString('base64url') === value
