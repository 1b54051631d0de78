// Assembles the sign-in methods of a service. (contract 5.10, 5.11, 5.12)

import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { MethodsModel, Model, ResourceModel } from '../../resource/model/model.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { Program, Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { ChangeAccount } from '../account/change-account.ts'
import type { Passwords } from '../account/password.ts'
import type { ReplacePassword } from '../account/replace-password.ts'
import type { SecurityEvents } from '../account/security-events.ts'
import type { AuthEndpoint } from '../endpoint.ts'
import type { EndpointDependencies } from '../endpoints.ts'
import { flowCodeForm } from '../flow/code-form.ts'
import { type CodeStore, codeTable, createCodeStore } from '../flow/code-store.ts'
import { createFlowStore, type FlowStore, flowTable } from '../flow/flow-store.ts'
import { createFlows } from '../flow/flows.ts'
import type { FindReturnUrl } from '../flow/return-urls.ts'
import { issuerMethodTable } from '../issuer/issuer-method-store.ts'
import { createIssuers } from '../issuer/issuers.ts'
import type { CreateAccount } from '../issuer/provisioning.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import type { MailKind, MailStore } from '../mail/mail-store.ts'
import type { Ceremony } from '../passkey/ceremony.ts'
import {
  createPasskeyMethod,
  createPasskeyStores,
  type PasskeyMethod,
  type PasskeyStores,
  passkeyTables,
} from '../passkey/passkey-method.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { SignIn } from '../session/sign-in.ts'
import type { AccessTokens } from '../token/access-token.ts'
import type { Notice } from '../token/denial-store.ts'
import { type AddressTokenStore, addressTokenTable, createAddressTokenStore } from './address-token-store.ts'
import { createChangePassword } from './change-password.ts'
import { type ComposeDependencies, composeMails } from './compose-mails.ts'
import { createMethodEndpoints, type MethodEndpointDependencies } from './endpoints.ts'
import { createRecoveryCodeStore, type RecoveryCodeStore, recoveryCodeTable } from './factor/recovery-code-store.ts'
import { createSecondFactors } from './factor/second-factors.ts'
import { createSignInMethodStore, type SignInMethodStore } from './factor/sign-in-method-store.ts'
import { createOpenChallenge } from './login/challenge.ts'
import { type ChallengeStore, challengeTable, createChallengeStore } from './login/challenge-store.ts'
import { createCompleteLogin } from './login/complete-login.ts'
import { loginForms } from './login/forms.ts'
import { createMagicLink } from './magic-link.ts'
import { createNoteNewAddresses, type NoteNewAddresses } from './new-address.ts'
import {
  createSessionAuthentications,
  type SessionAuthentications,
  sessionAuthenticationTable,
} from './session-authentication.ts'
import { createStartOver } from './start-over.ts'
import { createVerification } from './verification.ts'

export const methodTables = ({ isStored }: MethodsModel) => [
  sessionAuthenticationTable,
  addressTokenTable,
  ...(isStored ? [challengeTable, ...passkeyTables, recoveryCodeTable, issuerMethodTable] : []),
  flowTable,
  codeTable,
]

export interface MethodStores {
  readonly authentications: SessionAuthentications
  readonly addressTokens: AddressTokenStore
  readonly flows: FlowStore
  readonly codes: CodeStore
  /** Those whose rows expire. */
  readonly sweeps: readonly { sweep(now: Date): Program<void> }[]
  /** Null if accounts have passwords and mails alone. */
  readonly stored: StoredMethods | null
}
export interface StoredMethods extends PasskeyStores {
  readonly records: SignInMethodStore
  readonly challenges: ChallengeStore
  readonly recoveryCodes: RecoveryCodeStore
}
export function createMethodStores({ accounts, byName }: Model, dialect: Dialect, limits: Limits): MethodStores | null {
  if (accounts.methods === null) return null
  const addressTokens = createAddressTokenStore(dialect)
  const [flows, codes] = [createFlowStore(dialect), createCodeStore(dialect)]
  const stored = accounts.methods.isStored ? createStoredMethods(byName.get('SignInMethod')!, dialect, limits) : null
  const sweeps = [
    addressTokens,
    flows,
    codes,
    ...(stored === null ? [] : [stored.challenges, stored.passkeyChallenges]),
  ]
  return { authentications: createSessionAuthentications(dialect), addressTokens, flows, codes, stored, sweeps }
}
const createStoredMethods = (resource: ResourceModel, dialect: Dialect, limits: Limits): StoredMethods => ({
  ...createPasskeyStores(dialect, limits),
  records: createSignInMethodStore(resource, dialect),
  challenges: createChallengeStore(dialect),
  recoveryCodes: createRecoveryCodeStore(dialect),
})

export interface MethodOptions extends Pick<MethodEndpointDependencies, 'identify' | 'wakeMails'> {
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
  readonly basePath: string
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
  /** What browsers open, by name. */
  readonly pages: Readonly<Record<string, AuthEndpoint>>
  readonly compose: Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>>
  /** Null if no field records which addresses are proved. */
  readonly noteNewAddresses: NoteNewAddresses | null
}

export function createMethods(
  options: MethodOptions,
  { authentications, addressTokens: tokens, flows: flowStore, codes, stored }: MethodStores,
): Methods {
  const { model, passwords, mails, revocation } = options
  const { accounts: names } = model
  const startOver = createStartOver({ ...options, tokens, unusableHash: passwords.unusableHash })
  const isRecorded = names.verified !== null
  const magicLink = names.methods?.magicLink ? createMagicLink({ ...options, tokens, startOver }) : null
  const flows = createFlows({ ...options, flows: flowStore, codes })
  const issuers = stored === null ? null : createIssuers({ ...options, ...revocation, ...stored, flows, codes })
  const completeLogin = createCompleteLogin({
    ...options,
    authentications,
    owing: stored === null ? null : { challenges: stored.challenges, secondFactors: createSecondFactors(stored) },
  })
  const passkeys = stored === null ? null : passkeyMethod(options, stored)
  const endpoints: MethodEndpointDependencies = {
    ...options,
    login: names.login.spec,
    password: names.password.spec,
    forms: loginForms({
      ...options,
      magicLink,
      codeForm: null,
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
  return {
    pages: issuers?.endpoints ?? {},
    endpoints: (answer) => ({ ...createMethodEndpoints(endpoints, answer), ...passkeys?.endpoints }),
    compose: composeMails({ ...options, tokens }),
    noteNewAddresses: isRecorded ? createNoteNewAddresses(names, mails) : null,
  }
}

function passkeyMethod(options: MethodOptions, stored: StoredMethods): PasskeyMethod | null {
  const { ceremony, model } = options
  if (ceremony === null) return null
  const name = model.byName.get('SignInMethod')!.column.get('name')!.spec
  const openChallenge = createOpenChallenge({ ...options, ...stored })
  const parts = { ...options, ceremony, openChallenge, name, endOtherSessions: options.revocation.endOtherSessions }
  return createPasskeyMethod(parts, { ...stored, methods: stored.records })
}
