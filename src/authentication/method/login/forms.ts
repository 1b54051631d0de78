// The forms of login and reauthenticate; a body has exactly one of them. (contract 5.13.1)

import type { SignIn } from '../../session/sign-in.ts'
import type { MagicLink } from '../magic-link.ts'
import { passwordForm } from './password-form.ts'
import type { LoginForm } from './proof.ts'

export interface FormParts {
  readonly signIn: Pick<SignIn, 'requireAccount'>
  readonly magicLink: MagicLink | null
  /** `challenge, code`. */
  readonly codeForm: LoginForm | null
  /** `code, code_verifier`. */
  readonly flowCodeForm: LoginForm
  /** `passkey`, and `challenge, passkey`. */
  readonly passkeyForms: readonly LoginForm[]
}

export const loginForms = ({
  signIn,
  magicLink,
  codeForm,
  flowCodeForm,
  passkeyForms,
}: FormParts): readonly LoginForm[] => [
  passwordForm(signIn),
  ...(magicLink === null ? [] : [magicLink.form]),
  ...(codeForm === null ? [] : [codeForm]),
  flowCodeForm,
  ...passkeyForms,
]
