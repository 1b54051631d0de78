// Assembles the sign-in methods of a service. (contract 5.10, 5.11, 5.12)

import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { Model } from '../../resource/model/model.ts'
import type { Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { ChangeAccount } from '../account/change-account.ts'
import type { Passwords } from '../account/password.ts'
import type { ReplacePassword } from '../account/replace-password.ts'
import type { SecurityEvents } from '../account/security-events.ts'
import type { BrowserEndpoints } from '../endpoint.ts'
import type { EndpointDependencies } from '../endpoints.ts'
import { flowCodeForm } from '../flow/code-form.ts'
import { createFlows } from '../flow/flows.ts'
import type { FindReturnUrl } from '../flow/return-urls.ts'
import { createIssuers } from '../issuer/issuers.ts'
import type { CreateAccount } from '../issuer/provisioning.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import type { MailKind, MailStore } from '../mail/mail-store.ts'
import { createPages, type PagesOptions } from '../page/pages.ts'
import type { Ceremony } from '../passkey/ceremony.ts'
import { createPasskeyMethod, type PasskeyMethod } from '../passkey/passkey-method.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { SignIn } from '../session/sign-in.ts'
import type { Texts } from '../text/texts.ts'
import type { AccessTokens } from '../token/access-token.ts'
import type { Notice } from '../token/denial-store.ts'
import { createChangePassword } from './change-password.ts'
import { type ComposeDependencies, composeMails } from './compose-mails.ts'
import { createMethodEndpoints, type MethodEndpointDependencies } from './endpoints.ts'
import { createFactors, type Factors } from './factor/factors.ts'
import type { RemoveMethods } from './factor/remove-methods.ts'
import { createCompleteLogin } from './login/complete-login.ts'
import { loginForms } from './login/forms.ts'
import { createMagicLink } from './magic-link.ts'
import type { MethodStores, StoredMethods } from './method-stores.ts'
import { createNoteNewAddresses, type NoteNewAddresses } from './new-address.ts'
import { createStartOver } from './start-over.ts'
import { createVerification } from './verification.ts'

export interface MethodOptions
  extends Pick<MethodEndpointDependencies, 'identify' | 'wakeMails'>,
    Pick<PagesOptions, 'passwordReset' | 'isSameOrigin'> {
  readonly store: Store
  readonly model: Model
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly mails: MailStore
  readonly events: SecurityEvents
  readonly signIn: SignIn
  readonly isUnproved: (account: Account) => boolean
  readonly revocation: Pick<Revocation, 'endOtherSessions'>
  readonly apply: (notice: Notice, now: Date) => void
  readonly replacePassword: ReplacePassword
  readonly changeAccount: Promise<ChangeAccount>
  readonly links: ComposeDependencies['links']
  /** Of mails. */
  readonly texts: Texts
  readonly basePath: string
  /** What authenticator apps show. */
  readonly serviceName: string
  readonly clock: () => Date
  /** Null without passkeys. */
  readonly ceremony: Ceremony | null
  readonly findReturnUrl: FindReturnUrl
  readonly createAccount: Promise<CreateAccount>
  /** `BASE_URL`. */
  readonly issuer: string
  readonly log: Log
  readonly limits: Limits
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
  const { model, passwords, mails, revocation } = options
  const { accounts: names } = model
  const startOver = createStartOver({ ...options, tokens, unusableHash: passwords.unusableHash })
  const isRecorded = names.verified !== null
  const magicLink = names.methods?.magicLink ? createMagicLink({ ...options, tokens, startOver }) : null
  const flows = createFlows({ ...options, flows: flowStore, codes })
  const factors = stored === null ? null : await createFactors({ ...options, ...revocation, authentications }, stored)
  const issuers = stored === null ? null : createIssuers({ ...options, ...stored, ...factors!, flows, codes })
  const completeLogin = createCompleteLogin({ ...options, authentications, owing: factors })
  const passkeys = stored === null || factors === null ? null : passkeyMethod(options, stored, factors)
  const endpoints: MethodEndpointDependencies = {
    ...options,
    login: names.login.spec,
    password: names.password.spec,
    forms: loginForms({
      ...options,
      magicLink,
      codeForm: factors?.codeForm ?? null,
      flowCodeForm: flowCodeForm({ ...options, codes }),
      passkeyForms: passkeys?.forms ?? [],
    }),
    completeLogin,
    countsSteps: stored !== null,
    changePassword: createChangePassword({ ...options, ...revocation }),
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

function passkeyMethod(
  options: MethodOptions,
  stored: StoredMethods,
  { openChallenge, findAdder, addMethod, secondFactors }: Factors,
): PasskeyMethod | null {
  const { ceremony, model } = options
  if (ceremony === null) return null
  const name = model.byName.get('SignInMethod')!.column.get('name')!.spec
  const parts = { ...options, ceremony, openChallenge, findAdder, addMethod, secondFactors, name }
  return createPasskeyMethod(parts, { ...stored, methods: stored.records })
}
