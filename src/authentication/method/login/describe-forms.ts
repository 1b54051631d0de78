// Describes the forms of login and reauthenticate besides login and password. (contract 5.13.1)

import type { JsonSchema } from '../../../resource/field/field.ts'
import type { MethodsModel } from '../../../resource/model/model.ts'
import { challengeText, object, text } from '../../endpoint-descriptions.ts'
import { assertionMembers, credentialSchema } from '../../passkey/credential-schema.ts'

export function describeForms(methods: MethodsModel | null): readonly JsonSchema[] {
  if (methods === null) return []
  const byLink = {
    token: text('From the mail. Begins with mgl_.'),
    code_verifier: text('The code verifier whose SHA-256 was sent with the request for the link.'),
  }
  const byCode = {
    code: text('From the address to which the browser returned. Begins with code_.'),
    code_verifier: text('The code verifier whose SHA-256 began the sign-in.'),
  }
  return [
    ...(methods.magicLink ? [object(byLink)] : []),
    ...(methods.isStored ? [object(byCode)] : []),
    ...(methods.totp || methods.passkeys
      ? [object({ challenge: challengeText, code: text('A code of an authenticator app, or a recovery code.') })]
      : []),
    ...(methods.passkeys ? passkeyForms() : []),
  ]
}

function passkeyForms(): readonly JsonSchema[] {
  const passkey = credentialSchema('What the browser made of the options: its credential.toJSON().', assertionMembers)
  return [object({ passkey }), object({ challenge: challengeText, passkey })]
}
