// Gives an account a role, as nobody who is signed in: with an entry among the security events, and with every access
// token refused that was issued for its former role. (contract 3.4.2)

import { randomBytes } from 'node:crypto'
import { requireInvariantsOf } from '../../action/invariant.ts'
import { imagesBefore, type NumberChanges, noteRecord, writeNumbers } from '../../action/kept-number.ts'
import { insertRecord, newRecord } from '../../action/record.ts'
import { type Account, createAccountStore } from '../../authentication/account/account-store.ts'
import { createPasswords } from '../../authentication/account/password.ts'
import { createSecurityEvents } from '../../authentication/account/security-events.ts'
import { createOpaqueToken } from '../../authentication/opaque-token.ts'
import { createRevocation } from '../../authentication/revocation.ts'
import { createPasswordResetStore } from '../../authentication/session/password-reset-store.ts'
import { createSessionStore } from '../../authentication/session/session-store.ts'
import { createDenialStore } from '../../authentication/token/denial-store.ts'
import type { Limits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import { makeId } from '../../resource/model/id.ts'
import type { Model } from '../../resource/model/model.ts'
import { encodeValue } from '../../store/sql/column-value.ts'
import { dialectOf } from '../../store/sql/dialect.ts'
import { boundTo } from '../../store/sql/sql-text.ts'
import { createWriteStatements } from '../../store/sql/write-statements.ts'
import type { Program, Store } from '../../store/store.ts'
import { CommandError } from '../command.ts'
import { readFields } from './read-fields.ts'

export interface Appointment {
  /** In small letters, as accounts are found by. */
  readonly login: string
  readonly role: string
  /** What a new account is made with, beside its login and role. */
  readonly fields: ReadonlyMap<string, string>
  /** A token to choose a password with, also for an account that is there. */
  readonly link: boolean
}
export interface Appointed {
  readonly did: 'nothing' | 'made' | 'changed'
  /** With this a password is chosen, once; null where nobody asked and there is one. */
  readonly token: string | null
}
export interface AppointDependencies {
  readonly model: Model
  readonly store: Store
  readonly limits: Limits
  readonly now: Date
}

/** Fails with CommandError where the account cannot be made or may not sign in, and with Failure. */
export async function appoint(
  { login, role, fields, link }: Appointment,
  { model, store, limits, now }: AppointDependencies,
): Promise<Appointed> {
  const dialect = dialectOf(store.engine)
  const { resource, login: loginField, role: column, status, activeState, password } = model.accounts
  const accounts = createAccountStore(model.accounts, dialect)
  const events = createSecurityEvents(model.byName.get('SecurityEvent')!, dialect, silentLog)
  const sessions = createSessionStore({ resource: model.byName.get('Session')!, accounts, events, limits, dialect })
  const resets = createPasswordResetStore(accounts, limits, dialect)
  const denials = createDenialStore(dialect)
  const statements = createWriteStatements(dialect)
  const lifetimeSeconds = limits.accessTokenSeconds
  // Instances that are running learn of it from the database.
  const revocation = createRevocation({ model, accounts, sessions, denials, apply: () => {}, lifetimeSeconds, limits })

  const numbers: NumberChanges = new Map()
  const scope = { statements, dialect, cipher: null, numbers }

  function* make(passwordHash: string): Program<string> {
    const id = makeId(resource.prefix, now)
    const read = readFields(resource, new Map([...fields, [loginField.field, login]]))
    const values = { ...read, [column.field]: role, [status.field]: activeState }
    const record = newRecord(resource, id, values, now)
    const missing = resource.columns.filter((each) => !each.secret && record[each.field] === undefined)
    if (missing.length > 0) {
      const options = missing.map(({ field }) => `--set ${field}=…`).join(' ')
      throw new CommandError(`There is no account of ${login}. To make one, say ${options}.`)
    }
    yield* insertRecord(resource, { record, hashes: new Map([[password.field, passwordHash]]) }, scope)
    return id
  }
  function* change(account: Account): Program<void> {
    const input = [encodeValue(column, role, dialect)]
    const bound = { actor: null, id: account.id, input, now: dialect.encode(now, 'timestamp') }
    const [before = null] = yield* imagesBefore(resource, [{ id: account.id, changed: [column.field] }], scope)
    yield boundTo(statements.change(resource, [column]), bound)
    if (before !== null) yield* noteRecord(resource, before, { ...before, [column.field]: role }, scope)
    const others = [{ resource, id: account.id, change: { [column.field]: role } }]
    yield* requireInvariantsOf(others, { statements, dialect })
    yield* revocation.changed({ action: null, records: [], others }, now)
  }
  function* note(userId: string): Program<void> {
    const origin = { ip: 'command', userAgent: '', requestId: 'command' }
    yield* events.record({ type: 'role_granted', userId, origin, details: { role } }, now)
  }

  const existing = await findAccount(login, accounts, store)
  // Nobody knows it, and nobody will: it is only there to be replaced.
  const passwordHash =
    existing === null ? await (await createPasswords(limits, silentLog)).hash(randomBytes(32).toString('hex')) : ''
  const token = existing === null || link ? createOpaqueToken('prt_') : null
  return store.write(function* () {
    numbers.clear()
    const account = existing === null ? null : yield* accounts.lock(existing.id)
    if (account !== null && !account.isActive) throw new CommandError(`The account of ${login} may not sign in.`)
    const did = account === null ? 'made' : account.role === role ? 'nothing' : 'changed'
    const id = account === null ? yield* make(passwordHash) : account.id
    if (did === 'changed') yield* change(account!)
    if (did !== 'nothing') yield* note(id)
    if (token !== null) yield* resets.add(token.hash, id, now)
    yield* writeNumbers(scope)
    return { did, token: token?.text ?? null } as const
  })
}

async function findAccount(
  login: string,
  accounts: ReturnType<typeof createAccountStore>,
  store: Store,
): Promise<Account | null> {
  try {
    return await store.read(accounts.byLogin(login))
  } catch (cause) {
    // Each database says in its own way that there is no such table.
    throw new CommandError(
      'The database has no accounts of this service: start the service first, or correct DATABASE_URL.',
      { cause },
    )
  }
}
