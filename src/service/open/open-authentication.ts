// Opens authentication with its signing keys and mails.

import {
  type Authentication,
  type AuthenticationOptions,
  openAuthentication,
} from '../../authentication/authentication.ts'
import { openKeyRing } from '../../authentication/key/key-ring.ts'
import { createKeyStorage } from '../../authentication/key/key-storage.ts'
import { isSameOrigin } from '../../http/cors.ts'
import { readJson } from '../../json/read-json.ts'
import { createMailer, type Mailer } from '../../mail/mailer.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'

export function openMailer({ configuration, baseUrl, log, limits, shutdown }: OpenContext): Mailer {
  const mailer = createMailer({ ...configuration, baseUrl, log, limits })
  shutdown.defer(() => mailer.close())
  return mailer
}

/** `createAccount` and `changeAccount` resolve when the runner exists. */
export async function openServiceAuthentication(
  context: OpenContext & { readonly cipher: AuthenticationOptions['cipher'] },
  { store }: Database,
  { createAccount, changeAccount }: Pick<AuthenticationOptions, 'createAccount' | 'changeAccount'>,
  mailer: Mailer,
): Promise<Authentication> {
  const { options, configuration, limits, log, clock, model, shutdown } = context
  const { baseUrl, basePath, allowedOrigins, findReturnUrl } = context
  const { jwtAlgorithm: algorithm, jwtSecret } = configuration
  const hasPages = model.accounts.methods?.pages ?? false
  const pageOf = (name: string) => (hasPages ? `${baseUrl}/auth/pages/${name}?token={token}` : null)
  const storage = createKeyStorage(store)
  const keys = await openKeyRing({ algorithm, secret: jwtSecret ?? undefined, storage, limits }, clock())
  const authentication = await openAuthentication({
    model,
    store,
    cipher: context.cipher,
    serviceName: options.info?.title ?? new URL(baseUrl).host,
    keys,
    issuers: options.issuers ?? [],
    createAccount,
    changeAccount,
    limits,
    clock,
    log,
    issuer: baseUrl,
    audience: configuration.audience ?? baseUrl,
    refreshTokenIn: configuration.refreshTokenIn,
    basePath,
    isSameOrigin: ({ origin, host }) => origin !== undefined && isSameOrigin(origin, host, allowedOrigins),
    sendMail: mailer.send,
    passwordResetUrl: configuration.passwordResetUrl ?? pageOf('reset-password'),
    links: {
      verify: configuration.verifyUrl ?? pageOf('verify'),
      magicLink: configuration.magicLinkUrl,
      pageMagicLink: pageOf('link'),
    },
    relyingParty: {
      baseUrl,
      domain: configuration.passkeyDomain,
      allowedOrigins: allowedOrigins.origins,
      appOrigins: configuration.passkeyAppOrigins,
    },
    findReturnUrl,
    // Tokens of issuers may contain further claims of any form.
    readJson: (bytes) => readJson(bytes, { jsonDepth: limits.jsonDepth, roundsNumbers: true }),
  })
  shutdown.defer(() => authentication.close())
  return authentication
}
