// Opens the pages for developers, with demo accounts to sign in with and a first query to try.

import type { Authentication } from '../authentication/authentication.ts'
import { createExplorer, type Explorer } from '../explorer/explorer.ts'
import type { DemoAccounts } from '../explorer/page.ts'
import { type Actor, actorOf, idOfActor } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { createExplain } from './explain/explain.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { DemoData } from './open-demo.ts'
import { describeService } from './open-faces.ts'
import { overviewOf } from './overview/overview.ts'

export interface ExplorerDependencies {
  readonly database: Database
  readonly demo: DemoData
  readonly authentication: Pick<Authentication, 'identify'>
}

/** Null in production. */
export function openExplorer(
  context: OpenContext,
  { database: { store }, demo: demoRecords, authentication }: ExplorerDependencies,
): Explorer | null {
  const { configuration, options, model, basePath } = context
  const { demo } = options
  if (configuration.production) return null
  let accounts: Promise<DemoAccounts | null> | null = null
  const explain = createExplain({ model, store, authorRoutes: options.routes ?? [] })
  return createExplorer({
    basePath,
    refreshTokenIn: configuration.refreshTokenIn,
    explain: async (request, exchange) => {
      const now = context.clock()
      const actor = actorOf(await authentication.identify(exchange.headers, now, exchange))
      return explain(request, { actor, title: titleOf(actor), barred: null }, now)
    },
    versions: model.versions.map(({ name }) => name),
    exampleQuery: exampleQuery(model) ?? '',
    overview: async () =>
      overviewOf({ model, limits: context.limits, options }, await describeService(context, demoRecords)),
    demo: () => {
      // They stay what they are: who is still there, a page tells nobody.
      accounts ??= demoAccounts(demoRecords, demo?.password).catch((error: unknown) => {
        accounts = null
        throw error
      })
      return accounts
    },
  })
}

/** Null where this is no demo data. */
async function demoAccounts({ readExamples }: DemoData, password: string | undefined): Promise<DemoAccounts | null> {
  const examples = await readExamples()
  return examples === null || password === undefined ? null : { logins: examples.logins, password }
}

/** `usr_01J… (EDITOR)`. */
const titleOf = (actor: Actor | null): string =>
  actor === null ? 'nobody in particular' : `${idOfActor(actor)} (${actor.role ?? actor.tenant?.role})`

/** A query for everybody: two records of the first public resource; null where none is public. */
export function exampleQuery({ resources }: Model): string | null {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return null
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return `{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`
}
