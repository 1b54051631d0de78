// `duet explain`: which rule answers a request, and why with 401, 403 or 404. Looks into the database that DATABASE_URL
// names, and changes nothing in it.

import { Failure } from '../failure/failure.ts'
import type { Model } from '../resource/model/model.ts'
import { authorAddresses, findAuthorAddress } from '../rest/custom-route/address.ts'
import { definitionsOf } from '../rest/custom-route/definition.ts'
import { compileRoutes, findAddress } from '../rest/routes.ts'
import { compileService } from '../service/compile-service.ts'
import { hasNoAccount } from '../service/seed.ts'
import type { Store } from '../store/store.ts'
import { type Command, CommandError, readArguments } from './command.ts'
import { findAsker } from './explain/asker.ts'
import { type Judged, judge, leftOpen, steps } from './explain/judge.ts'
import { ruleSections } from './explain/section.ts'
import { loadOptions, loadService } from './load-service.ts'
import { openDatabase } from './open-database.ts'
import { optionsOf } from './options.ts'

/** Explains one request by somebody: every part of the rule that applies, and the step that decides. */
export const explainCommand: Command = async (args, environment) => {
  const options = optionsOf('service', 'as')
  const { values, positionals } = readArguments(args, { options, names: ['The method', 'The path'] })
  if (values.as === undefined) throw new CommandError('Say who asks: --as <e-mail, id or anonymous>.', { exitCode: 2 })
  const [method, path] = [positionals[0].toUpperCase(), positionals[1].split('?')[0]!]
  if (!path.startsWith('/api/')) throw new CommandError('The path must be that of a REST route: /api/….')
  const model = compileService(await loadService(values.service, environment.folder))
  const store = await openDatabase(environment)
  try {
    await requireAccounts(model, store)
    const asker = await findAsker(values.as, model, store)
    const routes = compileRoutes(model)
    const { routes: authored } = await loadOptions(values.service, environment.folder)
    const own = authorAddresses(definitionsOf(authored), routes.versions)
    const match = findAddress(path, routes)
    const request = { method, match, own: findAuthorAddress(path, own), asker, account: model.accounts.resource }
    const now = environment.now()
    const judged = await judge(request, store, now)
    const sections = await ruleSections(request, judged, { store, now })
    const title = `${method} ${path} as ${asker.title}`
    environment.write(`${[title, ...sections, verdictText(judged), ...stepsText(judged)].join('\n\n')}\n`)
    return 0
  } finally {
    await store.close()
  }
}

/** Fails with CommandError where the database is that of another service, or of none yet. */
async function requireAccounts(model: Model, store: Store): Promise<void> {
  try {
    await store.read(hasNoAccount(model))
  } catch (cause) {
    // Each database says in its own way that there is no such table.
    if (cause instanceof Failure) throw cause
    const { path } = model.accounts.resource
    throw new CommandError(
      `The database has no ${path} of this service: start the service first, or correct DATABASE_URL.`,
      { cause },
    )
  }
}

const verdictText = ({ status, code, because }: Judged): string =>
  `${status}${code === null ? '' : ` ${code}`}: ${because}.`

/** The order in which failures win, up to the one that does. */
function stepsText({ step }: Judged): readonly string[] {
  if (step === null) return []
  const names = Object.keys(steps) as (keyof typeof steps)[]
  const lines = names.slice(0, names.indexOf(step) + 1).map((name) => {
    const mark = name === step ? 'decides' : leftOpen.includes(name) ? 'unknown' : 'passed'
    return `  ${mark.padEnd(7)}  ${steps[name]}`
  })
  return [['What wins, in this order:', ...lines].join('\n')]
}
