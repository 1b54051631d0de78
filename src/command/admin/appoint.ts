// Gives an account a role without a signed-in user: records a security event, and refuses access tokens issued for the former role.
// (contract 3.4.2)

import { firstOverlap } from '../../action/row/exclusion.ts'
import { imagesBefore, noteChanged, noteRecords, writeNumbers } from '../../action/row/kept-number.ts'
import { insertRecord, newRecord } from '../../action/row/record.ts'
import { requireInvariantsOf } from '../../action/target/invariant.ts'
import type { ExclusionNotes, NumberChanges } from '../../action/write-scope.ts'
import type { Account } from '../../authentication/account/account-store.ts'
import { createPasswords } from '../../authentication/account/password.ts'
import { createOpaqueToken } from '../../authentication/opaque-token.ts'
import { silentLog } from '../../observation/log.ts'
import { makeId } from '../../resource/model/id.ts'
import { encodeValue } from '../../store/sql/text/column-value.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import type { Program } from '../../store/store.ts'
import { CommandError } from '../service/command.ts'
import { type AccountDependencies, createAccountParts, findAccount } from './account-parts.ts'
import { readFields } from './read-fields.ts'

export interface Appointment {
  /** In lower case, as stored. */
  readonly login: string
  readonly role: string
  readonly fields: ReadonlyMap<string, string>
  /** Requests a token to choose a password, also for an existing account. */
  readonly link: boolean
}
export interface Appointed {
  readonly did: 'nothing' | 'made' | 'changed'
  /** Null if it was not requested and there is a password. */
  readonly token: string | null
}

/** Fails with CommandError if the account cannot be created or may not sign in, and with Failure. */
export async function appoint(
  { login, role, fields, link }: Appointment,
  dependencies: AccountDependencies,
): Promise<Appointed> {
  const { model, store, limits, now } = dependencies
  const { resource, login: loginField, role: column, status, activeState, password } = model.accounts
  const { dialect, accounts, events, resets, revocation } = createAccountParts(dependencies)
  const statements = createWriteStatements(dialect)
  const numbers: NumberChanges = new Map()
  const exclusions: ExclusionNotes = new Map()
  const scope = { statements, dialect, cipher: null, numbers, exclusions }

  function* make(passwordHash: string): Program<string> {
    const id = makeId(resource.prefix, now)
    const read = readFields(resource, new Map([...fields, [loginField.field, login]]))
    const values = { ...read, [column.field]: role, [status.field]: activeState }
    const record = newRecord(resource, id, values, now)
    const missing = resource.columns.filter((each) => !each.secret && record[each.field] === undefined)
    if (missing.length > 0) {
      const options = missing.map(({ field }) => `--set ${field}=…`).join(' ')
      throw new CommandError(`There is no account of ${login}. To create one, pass ${options}.`)
    }
    yield* insertRecord(resource, { record, hashes: new Map([[password.field, passwordHash]]) }, scope)
    return id
  }
  function* change(account: Account): Program<void> {
    const input = [encodeValue(column, role, dialect)]
    const bound = { actor: null, id: account.id, input, now: dialect.encode(now, 'timestamp') }
    const [before = null] = yield* imagesBefore(resource, [{ id: account.id, changed: [column.field] }], scope)
    yield boundTo(statements.change(resource, [column]), bound)
    noteChanged(resource, account.id, new Set([column.field]), scope)
    if (before !== null) yield* noteRecords(resource, [{ before, after: { ...before, [column.field]: role } }], scope)
    const others = [{ resource, id: account.id, change: { [column.field]: role } }]
    yield* requireInvariantsOf(others, { statements, dialect })
    yield* revocation.changed({ action: null, records: [], others }, now)
  }
  function* note(userId: string): Program<void> {
    const origin = { ip: 'command', userAgent: '', requestId: 'command' }
    yield* events.record({ type: 'role_granted', userId, origin, details: { role } }, now)
  }

  const existing = await findAccount(login, accounts, store)
  const passwordHash = existing === null ? (await createPasswords(limits, silentLog)).unusableHash : ''
  const token = existing === null || link ? createOpaqueToken('prt_') : null
  return store.write(function* () {
    numbers.clear()
    exclusions.clear()
    const account = existing === null ? null : yield* accounts.lock(existing.id)
    if (account !== null && !account.isActive) throw new CommandError(`The account of ${login} may not sign in.`)
    const did = account === null ? 'made' : account.role === role ? 'nothing' : 'changed'
    const id = account === null ? yield* make(passwordHash) : account.id
    if (did === 'changed') yield* change(account!)
    if (did !== 'nothing') yield* note(id)
    if (token !== null && !(yield* resets.replace(token.hash, null, { id, login }, now)))
      throw new CommandError(`The account of ${login} has another address by now.`)
    yield* writeNumbers(scope)
    if ((yield* firstOverlap(scope)) !== null) throw new CommandError('Another account overlaps this one.')
    return { did, token: token?.text ?? null } as const
  })
}
