// Which accounts the pages and the documents may name in development.

import type { Model } from '../resource/model/model.ts'
import { quote } from '../store/sql/dialect.ts'
import { bind, type Program, query } from '../store/store.ts'

/** How many accounts the pages name. */
export const accountsShown = 3

/** The login names of the oldest accounts. */
export function* firstLogins({
  accounts: { resource, login, status, activeState },
}: Model): Program<readonly string[]> {
  const select = query(
    `select ${quote(login.name)} from ${quote(resource.table)} where "deleted_at" is null ` +
      `and ${quote(status.name)} = '${activeState}' order by "created_at", "id" limit ${accountsShown}`,
  )
  return (yield bind(select)).map(([text]) => String(text))
}

/** Those of these addresses that are reserved for examples, and so may be shown to anybody. (RFC 2606 3) */
export const demoLogins = (logins: readonly string[]): readonly string[] =>
  logins.filter((login) => /@example\.(?:com|net|org)$/.test(login))
