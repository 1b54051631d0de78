// Signs in, or reauthenticates, with a proof: at once, or with a challenge if the account owes a second factor. (contract 5.13.1)

import { Failure } from '../../../failure/failure.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import { createOpaqueToken } from '../../opaque-token.ts'
import type { Parts } from '../../parts.ts'
import type { TokenPair } from '../../session/sign-in.ts'
import type { IssuedToken } from '../../token/access-token.ts'
import type { SecondFactors } from '../factor/second-factors.ts'
import type { SessionAuthentications } from '../session-authentication.ts'
import type { SessionCaller } from '../session-caller.ts'
import type { ChallengeStore } from './challenge-store.ts'
import type { Attempt, Proof } from './proof.ts'

export interface CompleteLogin {
  /** Uses the proof up, and runs `grant` in the same transaction unless a second factor is owed. Fails as `signIn`. */
  settle<T>(proof: Proof, attempt: Attempt, grant: (account: Account) => Program<T | null>): Promise<T>
  /** Fails with SECOND_FACTOR_REQUIRED, VERIFICATION_REQUIRED, or the refusal of the proof. */
  signIn(proof: Proof, attempt: Attempt): Promise<TokenPair>
  /** Fails as `signIn`, and with INVALID_CREDENTIALS if the proof is of another account. */
  reauthenticate(proof: Proof, session: SessionCaller, attempt: Attempt): Promise<IssuedToken>
}

type Used = 'store' | 'accounts' | 'sessions' | 'accessTokens' | 'signIn' | 'isUnproved' | 'events'
interface CompleteLoginDependencies extends Pick<Parts, Used> {
  /** Null: no account owes a second factor. */
  readonly owing: { readonly challenges: ChallengeStore; readonly secondFactors: SecondFactors } | null
  readonly authentications: SessionAuthentications
}

const challengeSeconds = 300

export function createCompleteLogin(dependencies: CompleteLoginDependencies): CompleteLogin {
  const { store, accounts, sessions, owing, authentications, accessTokens } = dependencies
  const { signIn, isUnproved, events } = dependencies

  /** `grant` runs if nothing is owed. Null: the account has changed, or the proof was used up meanwhile. */
  function* settle<T>(
    { account, methods, isComplete, claim }: Proof,
    { session, now }: Attempt,
    grant: (account: Account) => Program<T | null>,
  ): Program<T | Failure | null> {
    const current = yield* accounts.lock(account.id)
    if (current === null || !isSame(current, account)) return null
    if (isUnproved(current)) throw new Failure('VERIFICATION_REQUIRED')
    if (claim !== undefined && !(yield* claim(current))) return null
    const owed = isComplete || owing === null ? [] : yield* owing.secondFactors.owedBy(current)
    if (owed.length === 0) return yield* grant(current)
    const { text, hash } = createOpaqueToken('chl_')
    const { access: epoch } = yield* accounts.epochs(account.id)
    const expiresAt = new Date(now.getTime() + challengeSeconds * 1000)
    yield* owing!.challenges.add(hash, {
      userId: account.id,
      sessionId: session?.sessionId ?? null,
      methods,
      epoch,
      expiresAt,
    })
    return new Failure('SECOND_FACTOR_REQUIRED', {
      challenge: { token: text, methods: owed, expiresInSeconds: challengeSeconds },
    })
  }
  async function settled<T>(
    proof: Proof,
    attempt: Attempt,
    grant: (account: Account) => Program<T | null>,
  ): Promise<T> {
    const { account, refusal = 'INVALID_TOKEN', event } = proof
    const refuse = (code: 'INVALID_TOKEN' | 'INVALID_CREDENTIALS') => signIn.refuse(account.id, attempt.origin, code)
    const result = await store
      .write(() => settle(proof, attempt, grant))
      .catch((error: unknown) => {
        // A code that was used before.
        if (error instanceof Failure && error.code === 'INVALID_CREDENTIALS') return refuse('INVALID_CREDENTIALS')
        throw error
      })
    if (result instanceof Failure) throw result
    if (result === null) return refuse(refusal)
    if (event !== undefined) events.log(event)
    return result
  }

  return {
    settle: settled,
    async signIn(proof, attempt) {
      const { origin, now } = attempt
      const next = createOpaqueToken('rt_')
      const grant = await settled(proof, attempt, (account) =>
        sessions.open(account, proof.methods, next.hash, origin, now),
      )
      return signIn.tokensOf(grant, next.text, now)
    },
    async reauthenticate(proof, { userId, sessionId }, attempt) {
      const { origin, now } = attempt
      if (proof.account.id !== userId) return signIn.refuse(userId, origin, 'INVALID_CREDENTIALS')
      const authentication = { at: now, methods: proof.methods }
      const grant = await settled(proof, attempt, function* ({ role }) {
        if (!(yield* sessions.isOpen(sessionId))) throw new Failure('INVALID_TOKEN')
        yield* authentications.put(sessionId, authentication)
        const { access: accessEpoch } = yield* accounts.epochs(userId)
        return { userId, role, sessionId, accessEpoch, authentication }
      })
      return accessTokens.issue({ ...grant, subject: userId, epoch: grant.accessEpoch }, now)
    },
  }
}

/** Another login or password ends what was proved by the former one. */
const isSame = (current: Account, { login, passwordHash }: Account): boolean =>
  current.isActive && current.login === login && current.passwordHash === passwordHash
