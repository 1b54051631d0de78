// The caller of an explanation: an account by e-mail address or id, or anonymous.

import { codesIn } from '../../authentication/access-code.ts'
import { type Actor, codeOrderOf, hasSeveralCodes, noCredential, type Requester } from '../../resource/actor.ts'
import { isId } from '../../resource/model/id.ts'
import type { Model } from '../../resource/model/model.ts'
import { dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { query, rowsOf, type Store } from '../../store/store.ts'

export interface Caller {
  /** As if signed in; null for anonymous. */
  readonly actor: Actor | null
  /** The same, with the access code that is shown. */
  readonly requester: Requester
  /** `ada@example.com (usr_01J…, EDITOR)`. */
  readonly title: string
  /** The state that prevents signing in. */
  readonly barred: string | null
}

export async function findCaller(name: string, model: Model, store: Store): Promise<Caller | null> {
  if (name === 'anonymous') return { actor: null, requester: null, title: 'an anonymous caller', barred: null }
  const { resource, login, role, status, activeState } = model.accounts
  const column = isId(resource.prefix, name) ? 'id' : login.name
  const columns = ['id', login.name, role.name, status.name].map(quote).join(', ')
  const parameter = dialectOf(store.engine).parameter(1)
  const select = query(
    `select ${columns} from ${quote(resource.table)} where ${quote(column)} = ${parameter} and "deleted_at" is null`,
  )
  const [row] = await store.read(rowsOf(select, column === 'id' ? name : name.toLowerCase()))
  if (row === undefined) return null
  const [id, address, itsRole, itsStatus] = row as [string, string, string, string]
  const actor = {
    id,
    role: itsRole,
    permissions: model.roles.get(itsRole) ?? new Set<never>(),
    scopes: null,
    credential: noCredential,
  }
  return {
    actor,
    requester: actor,
    title: `${address} (${id}, ${itsRole})`,
    barred: itsStatus === activeState ? null : itsStatus,
  }
}

/** The caller, who also shows these access codes; null if none has the form of one. Fails as `codesIn`. (contract 10.1.20) */
export function showingCode(caller: Caller, code: string, model: Model): Caller | null {
  const codes = codesIn({ 'x-access-code': code }, model)
  if (codes === null) return null
  const requester = { ...caller.requester, ...codes }
  return { ...caller, requester, title: `${caller.title}, ${codesOf(requester)}` }
}

export const codesOf = (requester: Requester): string =>
  hasSeveralCodes(requester) ? `with ${codeOrderOf(requester).length} access codes` : 'with an access code'
