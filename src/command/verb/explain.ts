// `duet explain`: shows which rule decides a request, and why with 401, 403 or 404. Reads the database of DATABASE_URL only.

import { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import type { Model } from '../../resource/model/model.ts'
import { findCaller, showingCode } from '../../service/explain/caller.ts'
import { createExplain } from '../../service/explain/explain.ts'
import { readDefinition } from '../../service/start/read-definition.ts'
import { hasNoAccount } from '../../service/start/seed.ts'
import type { Store } from '../../store/store.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'
import { loadService } from '../service/load-service.ts'
import { readDatabase } from '../service/open-database.ts'

export const explainCommand: Command = async (args, environment) => {
  const { values, positionals } = readArguments(args, ['service', 'as', 'code'], ['The method', 'The path'])
  const { as: who, code } = values
  if (who === undefined) throw new CommandError('Name the caller: --as <e-mail, id or anonymous>.', { exitCode: 2 })
  const method = positionals[0].toUpperCase()
  const [path = '', query = ''] = positionals[1].split('?')
  if (!path.startsWith('/api/')) throw new CommandError('The path must be that of a REST route: /api/….')
  const { model, routes } = readDefinition(await loadService(values.service, environment.folder), defaultLimits)
  return readDatabase(environment, async (store) => {
    await requireAccounts(model, store)
    const caller = await findCaller(who, model, store)
    if (caller === null)
      throw new CommandError(`No account is called ${who}: name an e-mail address, an id or anonymous.`)
    const showing = code === undefined ? caller : showingCode(caller, code, model)
    if (showing === null)
      throw new CommandError('The code does not have the form of a token that rules of this service require.')
    const explain = createExplain({ model, store, authorRoutes: routes })
    environment.write(`${await explain({ method, path, query }, showing, environment.now())}\n`)
    return 0
  })
}

/** Fails with CommandError for a database without this service's tables. */
async function requireAccounts(model: Model, store: Store): Promise<void> {
  try {
    await store.read(hasNoAccount(model))
  } catch (cause) {
    // Databases report a missing table differently.
    if (cause instanceof Failure) throw cause
    const { path } = model.accounts.resource
    throw new CommandError(
      `The database has no ${path} of this service: start the service first, or correct DATABASE_URL.`,
      { cause },
    )
  }
}
