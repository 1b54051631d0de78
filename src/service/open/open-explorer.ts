// Opens the developer pages, with demo accounts and a first query.

import type { Authentication } from '../../authentication/authentication.ts'
import { createExplorer, type Explorer } from '../../explorer/explorer.ts'
import type { DemoAccounts } from '../../explorer/page.ts'
import { actorOf, codeHashOf, idOfActor, type Requester } from '../../resource/actor.ts'
import type { Model } from '../../resource/model/model.ts'
import { codesOf } from '../explain/caller.ts'
import { createExplain } from '../explain/explain.ts'
import { overviewOf } from '../overview/overview.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { DemoData } from './open-demo.ts'
import { describeService } from './open-faces.ts'

export interface ExplorerDependencies {
  readonly database: Database
  readonly demo: DemoData
  readonly authentication: Pick<Authentication, 'identify'>
}

export function openExplorer(
  context: OpenContext,
  { database: { store }, demo: demoRecords, authentication }: ExplorerDependencies,
): Explorer | null {
  const { configuration, options, model, routes, basePath } = context
  const { demo } = options
  if (configuration.production) return null
  let accounts: Promise<DemoAccounts | null> | null = null
  const explain = createExplain({ model, store, authorRoutes: routes })
  return createExplorer({
    basePath,
    refreshTokenIn: configuration.refreshTokenIn,
    explain: async (request, exchange) => {
      const now = context.clock()
      const requester = await authentication.identify(exchange.headers, now, exchange)
      const actor = actorOf(requester)
      return explain(request, { actor, requester, title: titleOf(requester), barred: null }, now)
    },
    versions: model.versions.map(({ name }) => name),
    exampleQuery: exampleQuery(model) ?? '',
    overview: async () => overviewOf(context, await describeService(context, demoRecords)),
    demo: () => {
      // Kept after the first call; whether the accounts still exist is not shown.
      accounts ??= demoAccounts(demoRecords, demo?.password).catch((error: unknown) => {
        accounts = null
        throw error
      })
      return accounts
    },
  })
}

async function demoAccounts({ readExamples }: DemoData, password: string | undefined): Promise<DemoAccounts | null> {
  const examples = await readExamples()
  return examples === null || password === undefined ? null : { logins: examples.logins, password }
}

function titleOf(requester: Requester): string {
  const actor = actorOf(requester)
  const who = actor === null ? 'an anonymous caller' : `${idOfActor(actor)} (${actor.role ?? actor.tenant?.role})`
  return codeHashOf(requester) === null ? who : `${who}, ${codesOf(requester)}`
}

/** Reads two records of the first public resource; null if there is none. */
export function exampleQuery({ resources }: Model): string | null {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return null
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return `{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`
}
