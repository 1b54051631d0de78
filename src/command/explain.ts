// `duet explain`: which rule answers a request, and why with 401, 403 or 404. Looks into the database that DATABASE_URL
// names, and changes nothing in it.

import { Failure } from '../failure/failure.ts'
import type { Model } from '../resource/model/model.ts'
import { compileService } from '../service/compile-service.ts'
import { findAsker } from '../service/explain/asker.ts'
import { createExplain } from '../service/explain/explain.ts'
import { hasNoAccount } from '../service/seed.ts'
import type { Store } from '../store/store.ts'
import { type Command, CommandError, readArguments } from './command.ts'
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
    if (asker === null)
      throw new CommandError(`No account is called ${values.as}: name an e-mail address, an id or anonymous.`)
    const { routes } = await loadOptions(values.service, environment.folder)
    const explain = createExplain({ model, store, authorRoutes: routes })
    environment.write(`${await explain({ method, path }, asker, environment.now())}\n`)
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
