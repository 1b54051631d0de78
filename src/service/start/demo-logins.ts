// Accounts that pages and documents may show in development.

import type { Model } from '../../resource/model/model.ts'
import { quote } from '../../store/sql/text/dialect.ts'
import { bind, type Program, query } from '../../store/store.ts'

export const accountsShown = 3

export function* firstLogins({
  accounts: { resource, login, status, activeState },
}: Model): Program<readonly string[]> {
  const select = query(
    `select ${quote(login.name)} from ${quote(resource.table)} where "deleted_at" is null ` +
      `and ${quote(status.name)} = '${activeState}' order by "created_at", "id" limit ${accountsShown}`,
  )
  return (yield bind(select)).map(([text]) => String(text))
}

/** Addresses reserved for examples, which may be shown to anyone. (RFC 2606 3) */
export const demoLogins = (logins: readonly string[]): readonly string[] =>
  logins.filter((login) => /@example\.(?:com|net|org)$/.test(login))
