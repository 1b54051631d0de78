// Makes new recovery codes for a recent session. (contract 5.14.5)

import { Failure } from '../../../failure/failure.ts'
import type { SecurityEvent } from '../../account/security-events.ts'
import type { Parts } from '../../parts.ts'
import type { Attempt } from '../login/proof.ts'
import type { SessionCaller } from '../session-caller.ts'
import { type AdderDependencies, requireAdder } from './adder.ts'
import { makeRecoveryCodes, type RecoveryCodeStore } from './recovery-code-store.ts'

/** Ten new codes, which end the former ones. Fails with INVALID_TOKEN, or CONFLICT if the account has no second factor. */
export type RecoveryCodes = (session: SessionCaller, attempt: Attempt) => Promise<readonly string[]>

interface RecoveryCodesDependencies extends Pick<Parts, 'store' | 'mails' | 'events'>, AdderDependencies {
  readonly recoveryCodes: RecoveryCodeStore
}

export function createRecoveryCodes(dependencies: RecoveryCodesDependencies): RecoveryCodes {
  const { store, secondFactors, recoveryCodes, mails, events } = dependencies
  return async (session, { origin, now }) => {
    const { userId } = session
    const newCodes = makeRecoveryCodes()
    const event: SecurityEvent = { type: 'method_added', userId, origin, details: { method: 'recovery_codes' } }
    await store.write(function* () {
      const account = yield* requireAdder({ session, challenge: null }, dependencies)
      const owed = yield* secondFactors.owedBy(account)
      if (!owed.some((each) => each === 'totp' || each === 'passkey'))
        throw new Failure('CONFLICT', { message: 'This account has no second factor to recover.' })
      yield* recoveryCodes.replace(userId, newCodes)
      yield* events.record(event, now)
      yield* mails.add({ kind: 'method_added', address: account.login, userId, detail: 'recovery_codes' }, now)
    })
    events.log(event)
    return newCodes
  }
}
