// Composes the mails of sign-in methods, with tokens that are made when a mail is sent. (contract 5.11, 5.12)

import type { Mail } from '../../mail/mailer.ts'
import type { PlainKey } from '../../resource/language/sign-in-texts.ts'
import type { Account } from '../account/account-store.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import { type MailKind, type NoticeKind, tokenSeconds, type WaitingMail } from '../mail/mail-store.ts'
import { createOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { letter } from '../text/letter.ts'
import type { Texts } from '../text/texts.ts'
import type { AddressTokenKind, AddressTokenStore } from './address-token-store.ts'

/** With `{token}`; null: the mail contains the bare token. */
export interface Links {
  readonly verify: string | null
  readonly magicLink: string | null
  /** Of the service's own pages. */
  readonly pageMagicLink: string | null
}

interface ComposeDependencies extends Pick<Parts, 'store' | 'accounts' | 'mails' | 'basePath' | 'texts'> {
  readonly tokens: AddressTokenStore
  readonly links: Links
}

export function composeMails(
  dependencies: ComposeDependencies,
): Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>> {
  const { store, accounts, tokens, mails, links, basePath, texts } = dependencies

  async function mint(
    { id, address, tokenHash, detail }: WaitingMail,
    kind: AddressTokenKind,
    account: Account,
    now: Date,
  ): Promise<string> {
    const { text, hash } = createOpaqueToken(kind === 'magic' ? 'mgl_' : 'vrf_')
    const expiresAt = new Date(now.getTime() + tokenSeconds[kind] * 1000)
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
      kind: AddressTokenKind,
      isDue: (account: Account, address: string) => boolean,
      textOf: (token: string) => Omit<Mail, 'to'>,
    ): ComposeMail =>
    async (mail, now) => {
      const account = await accountAt(mail)
      if (account === null || !isDue(account, mail.address)) return null
      return { to: mail.address, ...textOf(await mint(mail, kind, account, now)) }
    }
  const letterOf =
    (kind: AddressTokenKind, link: string | null, endpoint: string) =>
    (token: string): Omit<Mail, 'to'> =>
      letter(texts, { kind, token, link, address: `${basePath}/auth/${endpoint}` })
  const isAny = () => true
  return {
    verify: withToken(
      'verify',
      ({ isVerified, login }, address) => !isVerified && login === address,
      letterOf('verify', links.verify, 'verify'),
    ),
    change: withToken('change', isAny, letterOf('change', links.verify, 'verify')),
    magic: withToken('magic', isAny, letterOf('magic', links.magicLink, 'login')),
    page_magic: withToken('magic', isAny, letterOf('magic', links.pageMagicLink, 'login')),
    ...Object.fromEntries(noticeKinds.map((kind) => [kind, noticeOf(kind, texts)])),
  } as Readonly<Record<Exclude<MailKind, 'reset'>, ComposeMail>>
}

const noticeKinds: readonly NoticeKind[] = [
  'password_changed',
  'address_changed',
  'method_added',
  'method_removed',
  'recovery_code_used',
  'second_factor_blocked',
]
const noticeOf =
  (kind: NoticeKind, { text }: Texts): ComposeMail =>
  async ({ address, detail }) => {
    const method = detail === null ? '' : text(`method_${detail}` as PlainKey)
    return { to: address, subject: text(`${kind}_subject`), text: `${text(kind, { method })} ${text('not_you')}\n` }
  }
