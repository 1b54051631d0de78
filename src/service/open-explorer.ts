// What somebody can do who has just started a service: demo accounts to sign in with, a question that anybody may ask.

import { createExplorer, type Explorer } from '../explorer/explorer.ts'
import type { Model } from '../resource/model/model.ts'
import { quote } from '../store/sql/dialect.ts'
import { bind, type Program, query, type Store } from '../store/store.ts'
import type { Configuration } from './configuration.ts'
import type { Demo } from './seed.ts'

/** Pages for developers, with what they can try; null in production. */
export function openExplorer(
  { production, demoData }: Configuration,
  { model, store, demo }: { readonly model: Model; readonly store: Store; readonly demo: Demo | undefined },
): Explorer | null {
  if (production) return null
  return createExplorer({
    versions: model.versions.map(({ name }) => name),
    exampleQuery: exampleQuery(model) ?? '',
    demo: async () =>
      demo === undefined || !demoData
        ? null
        : { logins: demoLogins(await store.read(firstLogins(model))), password: demo.password },
  })
}

/** So many accounts are named. */
const accountsShown = 3

/** What the oldest accounts sign in with. */
export function* firstLogins({
  accounts: { resource, login, status, activeState },
}: Model): Program<readonly string[]> {
  const select = query(
    `select ${quote(login.name)} from ${quote(resource.table)} where "deleted_at" is null ` +
      `and ${quote(status.name)} = '${activeState}' order by "created_at", "id" limit ${accountsShown}`,
  )
  return (yield bind(select)).map(([text]) => String(text))
}

/** The addresses among these that belong to nobody, and so may be shown to anybody. (RFC 2606 3) */
export const demoLogins = (logins: readonly string[]): readonly string[] =>
  logins.filter((login) => /@example\.(?:com|net|org)$/.test(login))

/** A question that anybody may ask: two records of the first resource that is for everybody; null where none is. */
export function exampleQuery({ resources }: Model): string | null {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return null
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return `{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`
}
