// Changing a login resets its verification in the same statement. (contract 5.9.1)

import type { ResourceModel } from '../../resource/model/model.ts'
import { noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import type { RowScope } from '../write-scope.ts'
import { type RowValues, recordFrom } from './load.ts'

export interface LoginChange {
  readonly id: string
  /** Its locked values; absent if not loaded. */
  readonly before?: Readonly<RowValues> | null
  readonly after: RowValues
  readonly changed: Set<string>
}

/** Unless the same write sets the flag. */
export function resetVerified(resource: ResourceModel, { before, after, changed }: LoginChange): void {
  const { login, verified } = resource.account
  if (!writesLogin(resource, changed) || verified === null || before == null) return
  if (changed.has(verified.field) || before[login.field] === after[login.field]) return
  after[verified.field] = false
  changed.add(verified.field)
}

/** For records whose stored login may have to be read first. */
export function* resetVerifiedOf(
  resource: ResourceModel,
  changes: readonly LoginChange[],
  scope: RowScope,
): Program<void> {
  if (resource.account.verified === null) return
  for (const change of changes) {
    if (!writesLogin(resource, change.changed)) continue
    const before = change.before ?? (yield* storedLogin(resource, change.id, scope))
    resetVerified(resource, { ...change, before })
  }
}

const writesLogin = (resource: ResourceModel, changed: ReadonlySet<string>): boolean =>
  resource.account.resource === resource && changed.has(resource.account.login.field)

function* storedLogin(resource: ResourceModel, id: string, scope: RowScope): Program<Readonly<RowValues> | null> {
  const columns = [resource.account.login]
  const [row] = yield scope.statements.load({ resource, conditions: [], columns, lock: 'no key update' }, noCaller, [
    id,
  ])
  return row === undefined ? null : recordFrom(row, 2, { resource, columns, ...scope })
}
