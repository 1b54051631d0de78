// What authentication has once, whatever the ways to sign in. Each function names the parts that it needs.

import type { IncomingHttpHeaders } from 'node:http'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { Actor } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import type { ReplacePassword, ReplacePasswordDependencies } from './account/replace-password.ts'
import type { FindReturnUrl } from './flow/return-urls.ts'
import type { Identify } from './identify.ts'
import type { ProvisioningDependencies } from './issuer/provisioning.ts'
import type { MailStore } from './mail/mail-store.ts'
import type { Revocation } from './revocation.ts'
import type { SignIn, SignInDependencies } from './session/sign-in.ts'
import type { Texts } from './text/texts.ts'

export interface Parts
  extends SignInDependencies,
    Omit<ReplacePasswordDependencies, 'removeMethods'>,
    Pick<ProvisioningDependencies, 'createAccount'> {
  readonly model: Model
  readonly signIn: SignIn
  readonly identify: Identify<Actor | null>
  readonly revocation: Revocation
  readonly replacePassword: ReplacePassword
  readonly mails: MailStore
  readonly wakeMails: () => void
  /** Of mails. */
  readonly texts: Texts
  readonly findReturnUrl: FindReturnUrl
  readonly isSameOrigin: (headers: IncomingHttpHeaders) => boolean
  /** `BASE_URL`. */
  readonly issuer: string
  readonly basePath: string
  /** What authenticator apps show. */
  readonly serviceName: string
  readonly log: Log
  readonly limits: Limits
}
