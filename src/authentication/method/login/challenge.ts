// Challenges as clients send them: whose they are, and their end. (contract 5.13.2)

import { Failure } from '../../../failure/failure.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import { hashOpaqueToken, isOpaqueToken } from '../../opaque-token.ts'
import type { Parts } from '../../parts.ts'
import type { ChallengeStore } from './challenge-store.ts'
import type { Attempt } from './proof.ts'

/** A challenge with one attempt counted. */
export interface OpenChallenge {
  readonly account: Account
  /** Of the first factor: values of `amr`. */
  readonly methods: readonly string[]
  /** Uses it up, in the transaction that signs in; false if it was used or ended meanwhile. */
  claim(): Program<boolean>
}

/** Counts an attempt. Fails with INVALID_TOKEN: unknown, used, spent, expired, for another purpose, or of a former epoch. */
export type OpenChallengeBy = (token: string, attempt: Attempt) => Promise<OpenChallenge>

export function createOpenChallenge(
  { store, accounts }: Pick<Parts, 'store' | 'accounts'>,
  challenges: ChallengeStore,
): OpenChallengeBy {
  return async (token, { session, now }) => {
    const hash = hashOpaqueToken(token)
    const challenge = isOpaqueToken('chl_', token) ? await store.write(() => challenges.attempt(hash)) : null
    if (challenge === null || challenge.expiresAt <= now) throw new Failure('INVALID_TOKEN')
    if (challenge.sessionId !== (session?.sessionId ?? null)) throw new Failure('INVALID_TOKEN')
    const account = await store.read(accounts.byId(challenge.userId))
    if (account === null || !account.isActive) throw new Failure('INVALID_TOKEN')
    return {
      account,
      methods: challenge.methods,
      *claim() {
        // Read under the lock of the account: another role, a suspension or a reset ends it.
        const { access } = yield* accounts.epochs(account.id)
        return access === challenge.epoch && (yield* challenges.use(hash))
      },
    }
  }
}
