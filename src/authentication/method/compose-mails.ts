// Composes the mails of sign-in methods, with tokens that are made when a mail is sent. (contract 5.11, 5.12)

import type { Mail } from '../../mail/mailer.ts'
import type { Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import type { MailKind, MailStore, NoticeKind, WaitingMail } from '../mail/mail-store.ts'
import { createOpaqueToken, type OpaqueTokenPrefix } from '../opaque-token.ts'
import type { AddressTokenKind, AddressTokenStore } from './address-token-store.ts'
import { magicLinkSeconds } from './magic-link.ts'
import { changeSeconds, verificationSeconds } from './verification.ts'

export interface ComposeDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly tokens: AddressTokenStore
  readonly mails: MailStore
  /** With `{token}`; null: the mail contains the bare token. */
  readonly links: { readonly verify: string | null; readonly magicLink: string | null }
  readonly basePath: string
}

export function composeMails(
  dependencies: ComposeDependencies,
): Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>> {
  const { store, accounts, tokens, mails, links, basePath } = dependencies

  async function mint(
    { id, address, tokenHash, detail }: WaitingMail,
    { kind, prefix, seconds }: TokenForm,
    account: Account,
    now: Date,
  ): Promise<string> {
    const { text, hash } = createOpaqueToken(prefix)
    const expiresAt = new Date(now.getTime() + seconds * 1000)
    await store.write(function* () {
      // A second change of address replaces the first.
      if (kind === 'change') yield* tokens.forget(account.id, kind)
      yield* tokens.replace(hash, tokenHash, { kind, userId: account.id, address, challenge: detail, expiresAt })
      yield* mails.noteToken(id, hash)
    })
    return text
  }
  const accountAt = async ({ address, userId }: WaitingMail): Promise<Account | null> => {
    const account = await store.read(userId === null ? accounts.byLogin(address) : accounts.byId(userId))
    return account?.isActive ? account : null
  }
  const withToken =
    (
      form: TokenForm,
      isDue: (account: Account, address: string) => boolean,
      textOf: (token: string) => Omit<Mail, 'to'>,
    ): ComposeMail =>
    async (mail, now) => {
      const account = await accountAt(mail)
      if (account === null || !isDue(account, mail.address)) return null
      return { to: mail.address, ...textOf(await mint(mail, form, account, now)) }
    }
  return {
    verify: withToken(
      { kind: 'verify', prefix: 'vrf_', seconds: verificationSeconds },
      ({ isVerified, login }, address) => !isVerified && login === address,
      (token) =>
        letter(
          'Confirm your address',
          `Confirm that this address is yours`,
          token,
          links.verify,
          `${basePath}/auth/verify`,
          '24 hours',
        ),
    ),
    change: withToken(
      { kind: 'change', prefix: 'vrf_', seconds: changeSeconds },
      () => true,
      (token) =>
        letter(
          'Confirm your new address',
          'Confirm that your account gets this address',
          token,
          links.verify,
          `${basePath}/auth/verify`,
          'one hour',
        ),
    ),
    magic: withToken(
      { kind: 'magic', prefix: 'mgl_', seconds: magicLinkSeconds },
      () => true,
      (token) => letter('Sign in', 'Sign in', token, links.magicLink, `${basePath}/auth/login`, 'ten minutes'),
    ),
    ...notices,
  }
}
const notice =
  (subject: string, sentence: (what: string) => string): ComposeMail =>
  async ({ address, detail }) => {
    const what = methodNames[detail ?? ''] ?? 'a sign-in method'
    return { to: address, subject, text: `${sentence(what)} ${ifNotYou}\n` }
  }
const ifNotYou = 'If it was not you, contact the service.'
const notices: Readonly<Record<NoticeKind, ComposeMail>> = {
  password_changed: notice(
    'Your password was changed',
    () => 'The password of your account was changed, and its other sessions ended.',
  ),
  address_changed: notice(
    'Your address was changed',
    () => 'Your account has another address now, and this one is no longer used.',
  ),
  method_added: notice('A sign-in method was added', (what) => `Your account got ${what}.`),
  method_removed: notice(
    'A sign-in method was removed',
    (what) => `Your account lost ${what}, and its other sessions ended.`,
  ),
  recovery_code_used: notice(
    'A recovery code was used',
    () => 'One of the recovery codes of your account was used to sign in, and is used up now.',
  ),
  second_factor_blocked: notice(
    'Wrong codes for your account',
    () =>
      'Within an hour ten wrong codes were sent for your account, after its first factor was proved. ' +
      'Until it is over, no code of an authenticator app is accepted.',
  ),
}
const methodNames: Readonly<Record<string, string>> = {
  totp: 'an authenticator app',
  passkey: 'a passkey',
  issuer: 'an account at an issuer',
  recovery_codes: 'new recovery codes',
}

interface TokenForm {
  readonly kind: AddressTokenKind
  readonly prefix: OpaqueTokenPrefix
  readonly seconds: number
}

function letter(
  subject: string,
  purpose: string,
  token: string,
  link: string | null,
  endpoint: string,
  lifetime: string,
): Omit<Mail, 'to'> {
  const way = link === null ? `${purpose}: send this token to ${endpoint}.` : `${purpose}: open this address.`
  const shown = link === null ? token : link.replaceAll('{token}', token)
  const end = `It works once, for ${lifetime}. If you did not request it, ignore this mail.`
  return { subject, text: [way, '', shown, '', end, ''].join('\n') }
}
