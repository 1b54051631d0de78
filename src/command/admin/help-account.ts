// Helps the owner of an account in again: another mail that proves the address, or an end of second factors that are lost.

import { createPasswords } from '../../authentication/account/password.ts'
import { createRecoveryCodeStore } from '../../authentication/method/factor/recovery-code-store.ts'
import { canSignIn, reportRemoval } from '../../authentication/method/factor/remove-methods.ts'
import { createSignInMethodStore } from '../../authentication/method/factor/sign-in-method-store.ts'
import { silentLog } from '../../observation/log.ts'
import { CommandError } from '../service/command.ts'
import { type AccountDependencies, createAccountParts, findAccount } from './account-parts.ts'

async function openAccount(login: string, dependencies: AccountDependencies) {
  const parts = createAccountParts(dependencies)
  const account = await findAccount(login, parts.accounts, dependencies.store)
  if (account === null) throw new CommandError(`There is no account of ${login}.`)
  return { ...parts, account }
}

/** The mail is sent by the service. Fails with CommandError if there is nothing to prove. */
export async function sendVerification(login: string, dependencies: AccountDependencies): Promise<void> {
  const { model, store, now } = dependencies
  if (model.accounts.methods === null || model.accounts.verified === null)
    throw new CommandError('This service proves no addresses: it has no accounts.methods and accounts.verified.')
  const { account, mails } = await openAccount(login, dependencies)
  if (account.isVerified) throw new CommandError(`The address of ${login} is proved already.`)
  await store.write(() => mails.add({ kind: 'verify', address: account.login, userId: account.id }, now))
}

/**
 * Removes apps, passkeys and recovery codes, ends every session, and returns how many methods there were. Fails with CommandError if the
 * account could not sign in any more.
 */
export async function removeSecondFactors(login: string, dependencies: AccountDependencies): Promise<number> {
  const { model, store, limits, now } = dependencies
  const { methods } = model.accounts
  if (!methods?.isStored) throw new CommandError('This service has no second factors.')
  const { dialect, account, accounts, events, revocation, mails } = await openAccount(login, dependencies)
  const records = createSignInMethodStore(model.byName.get('SignInMethod')!, dialect)
  const recoveryCodes = createRecoveryCodeStore(dialect)
  const passwords = await createPasswords(limits, silentLog)
  return store.write(function* () {
    const locked = (yield* accounts.lock(account.id)) ?? account
    const all = yield* records.list(locked.id)
    const factors = all.filter(({ kind }) => kind !== 'issuer')
    if (factors.length === 0) return 0
    const others = all.filter(({ kind }) => kind === 'issuer')
    if (!canSignIn(locked, others, { hasMagicLinks: methods.magicLink, passwords }))
      throw new CommandError(`${login} has no password: first give the account one with --link.`)
    yield* records.remove(
      factors.map(({ id }) => id),
      now,
    )
    yield* recoveryCodes.forget(locked.id)
    yield* revocation.endOtherSessions(locked.id, '', now)
    const origin = { ip: 'command', userAgent: '', requestId: 'command' }
    for (const factor of factors) yield* reportRemoval(locked, { ...factor, origin }, { events, mails }, now)
    return factors.length
  })
}
