// Signs in by a link that is mailed, for the client that asked for it. (contract 5.12)

import { Failure } from '../../failure/failure.ts'
import { hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { readTexts } from '../session/read-texts.ts'
import type { AddressToken, AddressTokenStore } from './address-token-store.ts'
import type { LoginForm } from './login/proof.ts'
import type { StartOver } from './start-over.ts'

export interface MagicLink {
  /** Stores a mail for this address, whether or not there is such an account. */
  request(email: string, challenge: string, now: Date): Promise<void>
  /** Fails with INVALID_TOKEN, also for another verifier, or TOKEN_EXPIRED. */
  readonly form: LoginForm
}

interface MagicLinkDependencies extends Pick<Parts, 'store' | 'accounts' | 'mails'> {
  readonly tokens: AddressTokenStore
  readonly startOver: StartOver
}

export function createMagicLink(dependencies: MagicLinkDependencies): MagicLink {
  const { store, accounts, tokens, mails, startOver } = dependencies
  async function requireToken(text: string, verifier: string, now: Date): Promise<readonly [string, AddressToken]> {
    const hash = hashOpaqueToken(text)
    const token = isOpaqueToken('mgl_', text) ? await store.read(tokens.find(hash)) : null
    if (token === null || token.kind !== 'magic') throw new Failure('INVALID_TOKEN')
    if (token.expiresAt <= now) throw new Failure('TOKEN_EXPIRED')
    // Tokens are hashed as S256 of RFC 7636 hashes verifiers.
    if (hashOpaqueToken(verifier) !== token.challenge) {
      await store.write(() => tokens.countFailure(hash))
      throw new Failure('INVALID_TOKEN')
    }
    return [hash, token]
  }
  return {
    async request(email, challenge, now) {
      const mail = { kind: 'magic', address: email.toLowerCase(), userId: null, detail: challenge } as const
      await store.write(() => mails.add(mail, now))
    },
    form: {
      members: ['token', 'code_verifier'],
      step: 'login',
      async prove(body, { origin, session, now }) {
        const { token: text, code_verifier: verifier } = readTexts(body, ['token', 'code_verifier'])
        const [hash, token] = await requireToken(text, verifier, now)
        const account = await store.read(accounts.byId(token.userId))
        if (account === null || !account.isActive || account.login !== token.address) throw new Failure('INVALID_TOKEN')
        const proof = { methods: ['mail'], isComplete: false }
        // A session of the account proves more than the link, which then proves no address.
        if (account.isVerified || session !== null) return { ...proof, account, claim: () => tokens.use(hash) }
        return { ...proof, account: await startOver(account, hash, origin) }
      },
    },
  }
}

/** A SHA-256 in base64url. */
export const isChallenge = (text: string): boolean => isOpaqueToken('', text)
