// Signs in by a link that is mailed, for the client that asked for it. (contract 5.12)

import { Failure } from '../../failure/failure.ts'
import type { AccountsModel } from '../../resource/model/model.ts'
import type { Store } from '../../store/store.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { Origin } from '../account/security-events.ts'
import type { MailStore } from '../mail/mail-store.ts'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { SignIn, TokenPair } from '../session/sign-in.ts'
import type { AddressTokenStore } from './address-token-store.ts'
import type { StartOver } from './start-over.ts'

export interface MagicLink {
  /** Stores a mail for this address, whether or not there is such an account. */
  request(email: string, challenge: string, now: Date): Promise<void>
  /** Fails with INVALID_TOKEN, also for another verifier, or TOKEN_EXPIRED. */
  signIn(token: string, verifier: string, origin: Origin, now: Date): Promise<TokenPair>
}

export interface MagicLinkDependencies {
  readonly store: Store
  readonly model: { readonly accounts: AccountsModel }
  readonly accounts: AccountStore
  readonly tokens: AddressTokenStore
  readonly mails: MailStore
  readonly signIn: Pick<SignIn, 'open'>
  readonly startOver: StartOver
}

export const magicLinkSeconds = 600

export function createMagicLink(dependencies: MagicLinkDependencies): MagicLink {
  const { store, accounts, tokens, mails, signIn } = dependencies
  return {
    async request(email, challenge, now) {
      const mail = { kind: 'magic', address: email.toLowerCase(), userId: null, detail: challenge } as const
      await store.write(() => mails.add({ ...mail, lifetimeSeconds: magicLinkSeconds }, now))
    },
    async signIn(text, verifier, origin, now) {
      const hash = hashOpaqueToken(text)
      const token = isOpaqueToken('mgl_', text) ? await store.read(tokens.find(hash)) : null
      if (token === null || token.kind !== 'magic') throw new Failure('INVALID_TOKEN')
      if (token.expiresAt <= now) throw new Failure('TOKEN_EXPIRED')
      // Tokens are hashed as S256 of RFC 7636 hashes verifiers.
      if (hashOpaqueToken(verifier) !== token.challenge) {
        await store.write(() => tokens.countFailure(hash))
        throw new Failure('INVALID_TOKEN')
      }
      const account = await store.read(accounts.byId(token.userId))
      if (account === null || !account.isActive || account.login !== token.address) throw new Failure('INVALID_TOKEN')
      if (account.isVerified) {
        if (!(await store.write(() => tokens.use(hash)))) throw new Failure('INVALID_TOKEN')
        return signIn.open(account, ['mail'], origin, now)
      }
      await dependencies.startOver(account, hash, origin)
      const renewed = await store.read(accounts.byId(token.userId))
      if (renewed === null) throw new Failure('INVALID_TOKEN')
      return signIn.open(renewed, ['mail'], origin, now)
    },
  }
}

/** A SHA-256 in base64url. */
export const isChallenge = (text: string): boolean => isOpaqueToken('', text)
