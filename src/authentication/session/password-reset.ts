// Mails password reset tokens, and redeems them for a new password. (contract 4.13)

import { Failure } from '../../failure/failure.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Program } from '../../store/store.ts'
import type { Account } from '../account/account-store.ts'
import type { Origin } from '../account/security-events.ts'
import type { ComposeMail } from '../mail/mail-sender.ts'
import { createOpaqueToken, hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { letter } from '../text/letter.ts'
import type { Texts } from '../text/texts.ts'
import type { PasswordResetStore } from './password-reset-store.ts'

export interface PasswordReset {
  /** Stores a mail for this address, whether or not there is such an account, so that callers learn nothing. */
  request(login: string, now: Date): Promise<void>
  readonly compose: ComposeMail
  /** Sets the password and ends every session. Fails with INVALID_TOKEN, TOKEN_EXPIRED or SERVICE_UNAVAILABLE. */
  redeem(token: string, password: string, origin: Origin, now: Date): Promise<void>
}
type Used = 'store' | 'accounts' | 'mails' | 'passwords' | 'replacePassword' | 'basePath' | 'texts' | 'limits'
interface PasswordResetDependencies extends Pick<Parts, Used> {
  readonly resets: PasswordResetStore
  /** How an account without password signs in; null if every account has or chooses one. (contract 5.13.11) */
  readonly waysWithoutPassword: ((account: Account) => Program<readonly string[]>) | null
  /** `PASSWORD_RESET_URL`; null: the mail contains the bare token. */
  readonly linkTemplate: string | null
}

export function createPasswordReset(dependencies: PasswordResetDependencies): PasswordReset {
  const { store, accounts, resets, mails, passwords, replacePassword, waysWithoutPassword, limits } = dependencies
  const { linkTemplate: link, basePath, texts } = dependencies
  return {
    async request(login, now) {
      await store.write(() => mails.add({ kind: 'reset', address: login.toLowerCase(), userId: null }, now))
    },
    async compose({ id, address, tokenHash }, now) {
      const account = await store.read(accounts.byLogin(address))
      if (account === null) return null
      if (waysWithoutPassword !== null && !passwords.isUsable(account.passwordHash))
        return waysMail(account.login, await store.read(waysWithoutPassword(account)), texts)
      const { text, hash } = createOpaqueToken('prt_')
      const isStored = await store.write(function* () {
        if (!(yield* resets.replace(hash, tokenHash, account, now))) return false
        yield* mails.noteToken(id, hash)
        return true
      })
      if (!isStored) return null
      const endpoint = `${basePath}/auth/reset-password`
      const minutes = Math.round(limits.passwordResetSeconds / 60)
      return { to: account.login, ...letter(texts, { kind: 'reset', token: text, link, address: endpoint, minutes }) }
    },
    async redeem(token, password, origin, now) {
      if (!isOpaqueToken('prt_', token)) throw new Failure('INVALID_TOKEN')
      const hash = hashOpaqueToken(token)
      // Checked before the expensive hash, and again in the transaction.
      const account = requireOwner(await store.write(() => resets.owner(hash, now)))
      const passwordHash = await passwords.hash(password)
      const event = { type: 'password_reset', userId: account.id, origin, details: {} } as const
      await replacePassword(account, passwordHash, event, function* () {
        requireOwner(yield* resets.owner(hash, now))
      })
    },
  }
}

function requireOwner<T>(owner: T | 'expired' | null): T {
  if (owner === null) throw new Failure('INVALID_TOKEN')
  if (owner === 'expired') throw new Failure('TOKEN_EXPIRED')
  return owner
}

function waysMail(to: string, ways: readonly string[], { text }: Texts): Mail {
  const body = ways.length === 0 ? text('no_ways') : text('ways', { ways: ways.join(', ') })
  return { to, subject: text('ways_subject'), text: `${body}\n` }
}
