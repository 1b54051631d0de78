// Assembles the sign-in methods of a service. (contract 5.10, 5.11, 5.12)

import type { Limits } from '../../limits.ts'
import type { AccountsModel } from '../../resource/model/model.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { ChangeAccount } from '../account/change-account.ts'
import type { Passwords } from '../account/password.ts'
import type { SecurityEvents } from '../account/security-events.ts'
import type { EndpointDependencies } from '../endpoints.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import type { MailKind, MailStore } from '../mail/mail-store.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { SignIn } from '../session/sign-in.ts'
import type { AccessTokens } from '../token/access-token.ts'
import type { Notice } from '../token/denial-store.ts'
import { type AddressTokenStore, addressTokenTable, createAddressTokenStore } from './address-token-store.ts'
import { createChangePassword } from './change-password.ts'
import { type ComposeDependencies, composeMails } from './compose-mails.ts'
import { createMethodEndpoints, type MethodEndpointDependencies } from './endpoints.ts'
import { createMagicLink, type MagicLink } from './magic-link.ts'
import { createNoteNewAddresses, type NoteNewAddresses } from './new-address.ts'
import { createReauthenticate } from './reauthenticate.ts'
import {
  createSessionAuthentications,
  type SessionAuthentications,
  sessionAuthenticationTable,
} from './session-authentication.ts'
import { createStartOver } from './start-over.ts'
import { createVerification } from './verification.ts'

export const methodTables = [sessionAuthenticationTable, addressTokenTable]

export interface MethodStores {
  readonly authentications: SessionAuthentications
  readonly addressTokens: AddressTokenStore
}
export const createMethodStores = (dialect: Dialect): MethodStores => ({
  authentications: createSessionAuthentications(dialect),
  addressTokens: createAddressTokenStore(dialect),
})

export interface MethodOptions extends Pick<MethodEndpointDependencies, 'identify' | 'wakeMails'> {
  readonly store: Store
  readonly model: { readonly accounts: AccountsModel }
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly mails: MailStore
  readonly events: SecurityEvents
  readonly signIn: SignIn
  readonly revocation: Pick<Revocation, 'revokeUsers' | 'endOtherSessions' | 'endApiKeys'>
  readonly apply: (notice: Notice, now: Date) => void
  readonly changeAccount: Promise<ChangeAccount>
  readonly links: ComposeDependencies['links']
  readonly basePath: string
  readonly clock: () => Date
  readonly limits: Pick<Limits, 'authBodyBytes'>
}
export interface Methods {
  readonly endpoints: EndpointDependencies['methods']
  readonly magicLink: MagicLink | null
  readonly compose: Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>>
  /** Null if no field records which addresses are proved. */
  readonly noteNewAddresses: NoteNewAddresses | null
}

export function createMethods(
  options: MethodOptions,
  { authentications, addressTokens: tokens }: MethodStores,
): Methods {
  const { model, passwords, mails, revocation } = options
  const { accounts: names } = model
  const startOver = createStartOver({ ...options, ...revocation, tokens, unusableHash: passwords.unusableHash })
  const isRecorded = names.verified !== null
  const magicLink = names.methods?.magicLink ? createMagicLink({ ...options, tokens, startOver }) : null
  const endpoints: MethodEndpointDependencies = {
    ...options,
    login: names.login.spec,
    password: names.password.spec,
    reauthenticate: createReauthenticate({ ...options, authentications }),
    changePassword: createChangePassword({ ...options, ...revocation }),
    verification: isRecorded ? createVerification({ ...options, tokens, startOver }) : null,
    magicLink,
  }
  return {
    endpoints: (answer) => createMethodEndpoints(endpoints, answer),
    magicLink,
    compose: composeMails({ ...options, tokens }),
    noteNewAddresses: isRecorded ? createNoteNewAddresses(names, mails) : null,
  }
}
