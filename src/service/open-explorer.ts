// Opens the pages for developers, with demo accounts to sign in with and a first query to try.

import { createExplorer, type Explorer } from '../explorer/explorer.ts'
import type { Model } from '../resource/model/model.ts'
import { quote } from '../store/sql/dialect.ts'
import { bind, type Program, query } from '../store/store.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'

/** Null in production. */
export function openExplorer(
  { configuration: { production, demoData }, options: { demo }, model, basePath }: OpenContext,
  { store }: Database,
): Explorer | null {
  if (production) return null
  return createExplorer({
    basePath,
    versions: model.versions.map(({ name }) => name),
    exampleQuery: exampleQuery(model) ?? '',
    demo: async () =>
      demo === undefined || !demoData
        ? null
        : { logins: demoLogins(await store.read(firstLogins(model))), password: demo.password },
  })
}

/** How many accounts the pages name. */
const accountsShown = 3

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

/** A query for everybody: two records of the first public resource; null where none is public. */
export function exampleQuery({ resources }: Model): string | null {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return null
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return `{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`
}
