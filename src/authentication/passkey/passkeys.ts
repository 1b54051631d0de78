// Passkeys of accounts: their challenges, their registration, and what they prove. (contract 5.15)

import { randomBytes } from 'node:crypto'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { Origin, SecurityEvent } from '../account/security-events.ts'
import type { Attempt, Proof } from '../method/login/proof.ts'
import type { StoredMethods } from '../method/method-stores.ts'
import { hashOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import type { Ceremony } from './ceremony.ts'
import type { Passkey } from './passkey-store.ts'
import type { SentAssertion } from './read-passkey.ts'

export interface Passkeys {
  /** Names no account. Fails with SERVICE_UNAVAILABLE if too many challenges wait. */
  signInOptions(now: Date): Promise<object>
  /** Uses up the challenge that the assertion answers. Fails with INVALID_TOKEN or INVALID_CREDENTIALS, also for another account than `ownerId`. */
  prove(sent: SentAssertion, attempt: Attempt, ownerId?: string): Promise<Proof>
}

type Used = 'store' | 'accounts' | 'events' | 'signIn' | 'log' | 'limits'
export interface PasskeyDependencies
  extends Pick<Parts, Used>,
    Pick<StoredMethods, 'passkeys' | 'passkeyChallenges' | 'records'> {
  readonly ceremony: Ceremony
}

/** A key, and that its holder was verified: two factors. (RFC 8176) */
const amr = ['pop', 'mfa', 'user']

export function createPasskeys(dependencies: PasskeyDependencies): Passkeys {
  const { store, ceremony, accounts, passkeys, passkeyChallenges, records, events, signIn, limits } = dependencies

  function refuse(userId: string | null, problem: string, { origin }: Attempt): never {
    logProblem(dependencies.log, userId, problem, origin)
    return signIn.refuse(userId, origin, 'INVALID_CREDENTIALS')
  }

  /** False, with a security event, if the counter of another copy of the key is ahead. */
  async function count({ credentialId, methodId, userId }: Passkey, counter: number, { origin, now }: Attempt) {
    const event: SecurityEvent = { type: 'counter_decreased', userId, origin, details: { method_id: methodId } }
    const isLater = await store.write(function* () {
      if (yield* passkeys.count(credentialId, counter)) return true
      yield* events.record(event, now)
      return false
    })
    if (!isLater) events.log(event)
    return isLater
  }

  return {
    async signInOptions(now) {
      const challenge = makeChallenge()
      const isStored = await store.write(() => passkeyChallenges.add(hashOpaqueToken(challenge), null, now))
      if (!isStored) throw tooMany(limits)
      return ceremony.signInOptions(challenge)
    },

    async prove(sent, attempt, ownerId) {
      const challenge = ceremony.challengeIn(sent.clientDataJSON)
      const hash = hashOpaqueToken(challenge ?? '')
      if (challenge === null || !(await store.write(() => passkeyChallenges.useToSignIn(hash, attempt.now))))
        throw new Failure('INVALID_TOKEN')
      const passkey = await store.read(passkeys.find(sent.id))
      if (passkey === null) return refuse(null, 'It is not registered.', attempt)
      const { userId, handle, methodId } = passkey
      if (sent.userHandle !== handle || (ownerId ?? userId) !== userId)
        return refuse(userId, 'It names another account.', attempt)
      const verdict = await ceremony.verifyAssertion(sent, challenge, passkey.publicKey)
      if ('problem' in verdict) return refuse(userId, verdict.problem, attempt)
      const account = await store.read(accounts.byId(userId))
      if (account === null || !account.isActive) return refuse(userId, 'Its account is not active.', attempt)
      if (!(await count(passkey, verdict.value, attempt))) return refuse(userId, 'Its counter has decreased.', attempt)
      return {
        account,
        methods: amr,
        isComplete: true,
        refusal: 'INVALID_CREDENTIALS',
        // False if it was removed meanwhile.
        claim: () => records.touch(methodId, attempt.now),
      }
    },
  }
}

export const makeChallenge = (): string => randomBytes(32).toString('base64url')

export const tooMany = ({ busyRetrySeconds }: Pick<Limits, 'busyRetrySeconds'>): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: busyRetrySeconds })

/** A wrong origin or domain is usually a mistake in the configuration. */
export function logProblem(
  log: Pick<Log, 'warn'>,
  userId: string | null,
  problem: string,
  { ip, requestId }: Origin,
): void {
  log.warn('A passkey was refused.', { event: 'passkey_refused', userId, problem, ip, requestId })
}
