// Assembles the sign-in methods of a service. (contract 5.10, 5.11, 5.12)

import type { AnswerTokens, BrowserEndpoints } from '../endpoint.ts'
import type { EndpointDependencies } from '../endpoints.ts'
import { flowCodeForm } from '../flow/code-form.ts'
import { createFlows } from '../flow/flows.ts'
import { createIssuers } from '../issuer/issuers.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import type { MailKind } from '../mail/mail-store.ts'
import { createPages } from '../page/pages.ts'
import type { Parts } from '../parts.ts'
import type { Ceremony } from '../passkey/ceremony.ts'
import { createPasskeyEndpoints } from '../passkey/endpoints.ts'
import { passkeyForms } from '../passkey/passkey-forms.ts'
import { createPasskeyRegistration } from '../passkey/passkey-registration.ts'
import { createPasskeys } from '../passkey/passkeys.ts'
import type { PasswordReset } from '../session/password-reset.ts'
import { createChangePassword } from './change-password.ts'
import { composeMails, type Links } from './compose-mails.ts'
import { createMethodEndpoints, type MethodEndpointDependencies } from './endpoints.ts'
import { createFactors, type Factors } from './factor/factors.ts'
import type { RemoveMethods } from './factor/remove-methods.ts'
import { createCompleteLogin } from './login/complete-login.ts'
import { passwordForm } from './login/password-form.ts'
import { createMagicLink } from './magic-link.ts'
import type { MethodStores, StoredMethods } from './method-stores.ts'
import { createNoteNewAddresses, type NoteNewAddresses } from './new-address.ts'
import { createStartOver } from './start-over.ts'
import { createVerification } from './verification.ts'

interface MethodOptions extends Parts {
  readonly passwordReset: PasswordReset
  readonly links: Links
  /** Null without passkeys. */
  readonly ceremony: Ceremony | null
}
export interface Methods {
  readonly endpoints: EndpointDependencies['methods']
  /** What browsers open. */
  readonly pages: BrowserEndpoints
  /** Null without records of `SignInMethod`. */
  readonly removeMethods: RemoveMethods | null
  readonly compose: Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>>
  /** Null if no field records which addresses are proved. */
  readonly noteNewAddresses: NoteNewAddresses | null
}

export async function createMethods(
  options: MethodOptions,
  { authentications, addressTokens: tokens, flows: flowStore, codes, stored }: MethodStores,
): Promise<Methods> {
  const { model, mails } = options
  const { accounts: names } = model
  const startOver = createStartOver(options, tokens)
  const isRecorded = names.verified !== null
  const magicLink = names.methods?.magicLink ? createMagicLink({ ...options, tokens, startOver }) : null
  const flows = createFlows({ ...options, flows: flowStore, codes })
  const factors = stored === null ? null : await createFactors({ ...options, authentications }, stored)
  const issuers = stored === null ? null : createIssuers({ ...options, ...stored, ...factors!, flows, codes })
  const completeLogin = createCompleteLogin({ ...options, authentications, owing: factors })
  const passkeys = stored === null || factors === null ? null : passkeyMethod(options, stored, factors)
  const endpoints: MethodEndpointDependencies = {
    ...options,
    forms: [
      passwordForm(options.signIn),
      ...(magicLink === null ? [] : [magicLink.form]),
      ...(factors?.codeForm ? [factors.codeForm] : []),
      flowCodeForm(options, codes),
      ...(passkeys?.forms ?? []),
    ],
    completeLogin,
    changePassword: createChangePassword(options),
    verification: isRecorded ? createVerification({ ...options, tokens, startOver, completeLogin }) : null,
    magicLink,
    linkIssuer: names.methods?.issuers && Object.keys(names.methods.issuers).length > 0 ? issuers!.link : null,
  }
  const pages = names.methods!.pages ? createPages({ ...options, ...endpoints, flows }) : { GET: {}, POST: {} }
  return {
    pages: { GET: { ...issuers?.endpoints, ...pages.GET }, POST: pages.POST },
    endpoints: (answer) => ({
      ...createMethodEndpoints(endpoints, answer),
      ...factors?.endpoints(answer),
      ...passkeys?.endpoints(answer),
    }),
    removeMethods: factors?.removeMethods ?? null,
    compose: composeMails({ ...options, tokens }),
    noteNewAddresses: isRecorded ? createNoteNewAddresses(names, mails) : null,
  }
}

/** Null without passkeys. (contract 5.15) */
function passkeyMethod(options: MethodOptions, stored: StoredMethods, factors: Factors) {
  const { ceremony } = options
  if (ceremony === null) return null
  const parts = { ...options, ...stored, ...factors, ceremony }
  const passkeys = createPasskeys(parts)
  const registration = createPasskeyRegistration(parts)
  return {
    forms: passkeyForms(passkeys, factors.openChallenge),
    endpoints: (answer: AnswerTokens) => createPasskeyEndpoints({ ...parts, passkeys, registration }, answer),
  }
}
