// `duet status`: reports whether a running service and its dependencies are ready.

import { createReactionAdmin, type ReactionState } from '../../reaction/reaction-admin.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { type Command, type CommandEnvironment, CommandError, readArguments } from '../service/command.ts'
import { openDatabase } from '../service/open-database.ts'
import { stateTable } from './reactions.ts'

/** Longer than the service waits for its dependencies. */
const waitMs = 10_000

interface Health {
  readonly status: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** Returns 1 if the service is not ready. Fails with CommandError if no such service responds. */
export const statusCommand: Command = async (args, environment) => {
  const { variables, write } = environment
  const { values } = readArguments(args, ['url', 'json'])
  const { baseUrl, port } = readConfiguration(variables)
  const address = values.url ?? baseUrl ?? `http://127.0.0.1:${port}`
  if (!URL.canParse(address)) throw new CommandError(`${address} is no address of a service.`, { exitCode: 2 })
  const health = await askHealth(address)
  const isOwn = values.url === undefined && (variables['DATABASE_URL'] ?? '') !== ''
  const work = isOwn ? await readWork(environment) : undefined
  write(
    values.json ? `${JSON.stringify({ address, ...health, work }, null, 2)}\n` : printed(address, health, work ?? []),
  )
  return health.status === 'ok' ? 0 : 1
}

/** Undefined if the database cannot be read, which the health shows. */
async function readWork(environment: CommandEnvironment): Promise<readonly ReactionState[] | undefined> {
  const store = await openDatabase(environment).catch((error: Error) => {
    environment.note(`${error.message}\n`)
    return null
  })
  if (store === null) return undefined
  try {
    return await store.read(createReactionAdmin(dialectOf(store.engine)).states())
  } finally {
    await store.close()
  }
}

async function askHealth(address: string): Promise<Health> {
  const url = `${address.replace(/\/$/, '')}/health/ready`
  const response = await fetch(url, { signal: AbortSignal.timeout(waitMs) }).catch((cause: Error) => {
    const reason = cause.name === 'TimeoutError' ? `${waitMs / 1000} s have passed` : reasonOf(cause)
    throw new CommandError(`Nothing answers at ${url}: ${reason}.`, { cause })
  })
  const body = (await response.json().catch(() => null)) as { readonly data?: Health } | null
  if (typeof body?.data?.status !== 'string' || typeof body.data.dependencies !== 'object')
    throw new CommandError(`What answers at ${url} is no service of Duet: it answered ${response.status}.`)
  return { status: body.data.status, dependencies: body.data.dependencies }
}

/** `fetch` has the reason in its cause. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message

const meanings: Readonly<Record<string, string>> = {
  ok: 'is ready',
  draining: 'is stopping, and still serves',
  unavailable: 'cannot do its work',
}

function printed(address: string, { status, dependencies }: Health, work: readonly ReactionState[]): string {
  const lines = Object.entries(dependencies).map(([name, state]) => `  ${name}: ${state}\n`)
  const table = work.length === 0 ? '' : `\n${stateTable(work)}`
  return `${address} ${meanings[status] ?? status}\n${lines.join('')}${table}`
}
