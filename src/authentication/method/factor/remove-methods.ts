// What ends with a sign-in method that its owner, or the service, deletes. (contract 5.13.7)

import { Failure } from '../../../failure/failure.ts'
import { actorOf } from '../../../resource/actor.ts'
import type { Program } from '../../../store/store.ts'
import type { Account } from '../../account/account-store.ts'
import type { Passwords } from '../../account/password.ts'
import type { Origin, SecurityEvent } from '../../account/security-events.ts'
import type { Parts } from '../../parts.ts'
import type { AccountChange } from '../../revocation.ts'
import type { Notice } from '../../token/denial-store.ts'
import type { StoredMethods } from '../method-stores.ts'
import type { SignInMethodRecord } from './sign-in-method-store.ts'

export interface RemovedMethods {
  readonly notices: readonly Notice[]
  readonly events: readonly SecurityEvent[]
}
/** Runs in the transaction that deletes. Fails with CONFLICT if the account could not sign in any more. */
export type RemoveMethods = (change: AccountChange, now: Date) => Program<RemovedMethods>

type Used = 'model' | 'accounts' | 'passwords' | 'mails' | 'events' | 'revocation'

export function createRemoveMethods(
  { model, accounts, passwords, mails, events, revocation }: Pick<Parts, Used>,
  { records, recoveryCodes }: Pick<StoredMethods, 'records' | 'recoveryCodes'>,
): RemoveMethods {
  const resource = model.byName.get('SignInMethod')!
  const hasMagicLinks = model.accounts.methods!.magicLink

  function* requireAnother(account: Account): Program<void> {
    if (!canSignIn(account, yield* records.list(account.id), { hasMagicLinks, passwords }))
      throw new Failure('CONFLICT', { message: 'This is the only way in which this account can sign in.' })
  }
  function* remove(
    { id, after }: AccountChange['records'][number],
    { caller, request }: AccountChange,
    now: Date,
  ): Program<RemovedMethods> {
    const [userId, kind] = [String(after['user']), String(after['kind'])]
    yield* records.forget([id])
    const account = yield* accounts.lock(userId)
    if (account === null) return { notices: [], events: [] }
    if (kind !== 'totp') yield* requireAnother(account)
    const remaining = yield* records.list(userId)
    if (!remaining.some((each) => each.kind !== 'issuer')) yield* recoveryCodes.forget(userId)
    const actor = caller === undefined ? null : actorOf(caller)
    const currentId = actor?.id === userId && actor.credential.kind === 'bearer' ? actor.credential.sessionId : null
    const notices = yield* revocation.endOtherSessions(userId, currentId ?? '', now)
    const event = yield* reportRemoval(account, { id, kind, origin: originOf(request) }, { events, mails }, now)
    return { notices, events: [event] }
  }

  return function* (change, now) {
    const { action, others } = change
    const gone = others.filter((each) => each.resource === resource && each.change === null)
    if (gone.length > 0) yield* records.forget(gone.map(({ id }) => id))
    const removed: RemovedMethods[] = []
    if (action?.resource === resource && action.kind === 'delete')
      for (const each of change.records) removed.push(yield* remove(each, change, now))
    return { notices: removed.flatMap(({ notices }) => notices), events: removed.flatMap((each) => each.events) }
  }
}

/** Whether these methods, or what the account has besides, prove who it is: an app alone does not. */
export const canSignIn = (
  { passwordHash, isVerified }: Account,
  methods: readonly Pick<SignInMethodRecord, 'kind'>[],
  { hasMagicLinks, passwords }: { readonly hasMagicLinks: boolean; readonly passwords: Pick<Passwords, 'isUsable'> },
): boolean =>
  passwords.isUsable(passwordHash) || (hasMagicLinks && isVerified) || methods.some(({ kind }) => kind !== 'totp')

/** Writes the security event, and notifies the owner. */
export function* reportRemoval(
  { id: userId, login: address }: Pick<Account, 'id' | 'login'>,
  { id, kind, origin }: { readonly id: string; readonly kind: string; readonly origin: Origin },
  { events, mails }: Pick<Parts, 'events' | 'mails'>,
  now: Date,
): Program<SecurityEvent> {
  const event: SecurityEvent = { type: 'method_removed', userId, origin, details: { method: kind, method_id: id } }
  yield* events.record(event, now)
  yield* mails.add({ kind: 'method_removed', address, userId, detail: kind }, now)
  return event
}

/** The service itself has no request. */
const originOf = (request: AccountChange['request']): Origin => ({
  ip: request?.address ?? 'service',
  userAgent: request?.agent ?? '',
  requestId: request?.id ?? 'service',
})
