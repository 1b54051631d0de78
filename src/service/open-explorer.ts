// Opens the pages for developers, with demo accounts to sign in with and a first query to try.

import { createExplorer, type Explorer } from '../explorer/explorer.ts'
import type { Model } from '../resource/model/model.ts'
import { demoLogins, firstLogins } from './demo-logins.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { DemoData } from './open-demo.ts'
import { describeService } from './open-faces.ts'
import { overviewOf } from './overview/overview.ts'

/** Null in production. */
export function openExplorer(
  context: OpenContext,
  { database: { store }, demo: demoRecords }: { readonly database: Database; readonly demo: DemoData },
): Explorer | null {
  const { configuration, options, model, basePath } = context
  const { demo } = options
  if (configuration.production) return null
  return createExplorer({
    basePath,
    versions: model.versions.map(({ name }) => name),
    exampleQuery: exampleQuery(model) ?? '',
    overview: async () =>
      overviewOf({ model, limits: context.limits, options }, await describeService(context, demoRecords)),
    demo: async () =>
      demo === undefined || !configuration.demoData
        ? null
        : { logins: demoLogins(await store.read(firstLogins(model))), password: demo.password },
  })
}

/** A query for everybody: two records of the first public resource; null where none is public. */
export function exampleQuery({ resources }: Model): string | null {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return null
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return `{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`
}
