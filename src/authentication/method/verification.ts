// Proves addresses: that of an account, and a new one for it. (contract 5.11)

import { Failure } from '../../failure/failure.ts'
import type { Actor } from '../../resource/actor.ts'
import type { Account } from '../account/account-store.ts'
import type { Origin, SecurityEvent } from '../account/security-events.ts'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import type { TokenPair } from '../session/sign-in.ts'
import type { AddressToken, AddressTokenStore } from './address-token-store.ts'
import type { CompleteLogin } from './login/complete-login.ts'
import type { SessionCaller } from './session-caller.ts'
import type { StartOver } from './start-over.ts'

export interface Verification {
  /** Stores a mail for this address, whether or not there is such an account. */
  request(email: string, now: Date): Promise<void>
  requestChange(caller: SessionCaller, email: string, now: Date): Promise<void>
  /**
   * Returns tokens if it started over. Fails with INVALID_TOKEN, TOKEN_EXPIRED, INVALID_CREDENTIALS (a wrong password), CONFLICT (the
   * address is taken), or UNAUTHENTICATED if nothing but the token proves the account.
   */
  verify(sent: SentProof, actor: Actor | null, origin: Origin, now: Date): Promise<TokenPair | null>
}
export interface SentProof {
  readonly token: string
  readonly password?: string
  readonly startsOver: boolean
}

type Used = 'store' | 'model' | 'accounts' | 'mails' | 'passwords' | 'events' | 'changeAccount'
interface VerificationDependencies extends Pick<Parts, Used> {
  readonly tokens: AddressTokenStore
  readonly completeLogin: Pick<CompleteLogin, 'signIn'>
  readonly startOver: StartOver
}

export function createVerification(dependencies: VerificationDependencies): Verification {
  const { store, model, accounts, tokens, mails, passwords, events } = dependencies
  const { login, verified } = model.accounts

  async function accountOf(token: AddressToken): Promise<Account> {
    const account = await store.read(accounts.byId(token.userId))
    if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
    return account
  }

  /** Fails if neither a session nor the password of the account comes with the token. */
  async function requireProof({ password }: SentProof, account: Account, actor: Actor | null): Promise<void> {
    if (password !== undefined) {
      if (!(await passwords.verify(account.passwordHash, password))) throw new Failure('INVALID_CREDENTIALS')
      return
    }
    const isOwn = actor?.id === account.id && actor.credential.kind === 'bearer' && actor.credential.sessionId !== null
    if (!isOwn) throw new Failure('UNAUTHENTICATED', { message: needsProof })
  }

  async function confirm(token: AddressToken, hash: string, account: Account, origin: Origin): Promise<void> {
    const isChange = token.kind === 'change'
    const type = isChange ? 'address_changed' : 'address_verified'
    const event: SecurityEvent = { type, userId: account.id, origin, details: {} }
    const values = { ...(isChange ? { [login.field]: token.address } : {}), [verified!.field]: true }
    const change = await dependencies.changeAccount
    await change(account.id, values, function* (now) {
      // Another login or state has ended the token meanwhile.
      if (!(yield* tokens.use(hash))) throw new Failure('INVALID_TOKEN')
      yield* tokens.forget(account.id)
      yield* events.record(event, now)
      if (isChange) yield* mails.add({ kind: 'address_changed', address: account.login, userId: account.id }, now)
    })
    events.log(event)
  }

  return {
    async request(email, now) {
      await store.write(() => mails.add({ kind: 'verify', address: email.toLowerCase(), userId: null }, now))
    },
    async requestChange({ userId }, email, now) {
      await store.write(() => mails.add({ kind: 'change', address: email.toLowerCase(), userId }, now))
    },
    async verify(sent, actor, origin, now) {
      const hash = hashOpaqueToken(sent.token)
      const token = isOpaqueToken('vrf_', sent.token) ? await store.read(tokens.find(hash)) : null
      if (token === null || token.kind === 'magic') throw new Failure('INVALID_TOKEN')
      if (token.expiresAt <= now) throw new Failure('TOKEN_EXPIRED')
      const account = await accountOf(token)
      if (token.kind === 'verify' && token.address !== account.login) throw new Failure('INVALID_TOKEN')
      if (sent.startsOver && token.kind === 'verify') {
        const renewed = await dependencies.startOver(account, hash, origin)
        const proof = { account: renewed, methods: ['mail'], isComplete: false }
        return dependencies.completeLogin.signIn(proof, { origin, now, session: null })
      }
      await requireProof(sent, account, actor)
      await confirm(token, hash, account, origin)
      return null
    },
  }
}
const needsProof = 'Send an access token or the password of the account as well.'
