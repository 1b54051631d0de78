// Reads uses of deprecated parts from the database, a running service, or the output of `duet usage --json`.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Uses } from '../../compatibility/removal.ts'
import { clientText, gatherUses, type ThingUsed, type UseGroup } from '../../deprecation/gather.ts'
import { createUsageStore } from '../../deprecation/usage-store.ts'
import { dayOf, daysFrom } from '../../resource/deprecation.ts'
import type { Model } from '../../resource/model/model.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { type CommandEnvironment, CommandError } from './command.ts'
import { readDatabase } from './open-database.ts'

const groupsMax = 10_000
const pagesMax = 200
const fetchTimeoutMs = 30_000

type Environment = Pick<CommandEnvironment, 'folder' | 'variables' | 'note' | 'now'>
export type UsesByThing = ReadonlyMap<string, ThingUsed>

export function usesInDatabase(model: Model, quietDays: number, environment: Environment): Promise<UsesByThing> {
  return readDatabase(environment, async (store) => {
    const rows = createUsageStore(model.byName.get('DeprecatedUse')!, dialectOf(store.engine))
    const groups = await store.read(rows.groups(groupsMax))
    return gatherUses(groups, daysFrom(dayOf(environment.now()), -quietDays))
  })
}

/** Null without a file, service or database. Fails with CommandError. */
export async function findUses(
  source: string | undefined,
  model: Model,
  quietDays: number,
  environment: Environment,
): Promise<ReadonlyMap<string, Uses> | null> {
  if (source === undefined) {
    if (environment.variables['DATABASE_URL'] === undefined) return null
    return withClientTexts(await usesInDatabase(model, quietDays, environment))
  }
  if (!/^https?:\/\//.test(source)) return readFromFile(source, environment)
  const groups = await readFromService(source, environment)
  return withClientTexts(gatherUses(groups, daysFrom(dayOf(environment.now()), -quietDays)))
}

const withClientTexts = (uses: UsesByThing): ReadonlyMap<string, Uses> =>
  new Map([...uses].map(([what, { clients, ...use }]) => [what, { ...use, clients: clients.map(clientText) }]))

async function readFromFile(source: string, { folder }: Environment): Promise<ReadonlyMap<string, Uses>> {
  try {
    const { deprecations } = JSON.parse(await readFile(resolve(folder, source), 'utf8')) as {
      readonly deprecations: readonly (Partial<ThingUsed> & { readonly what: string })[]
    }
    const counted = deprecations.flatMap(({ what, countedSince, lastUsed = null, clients = [] }) =>
      countedSince === undefined || countedSince === null ? [] : [[what, { countedSince, lastUsed, clients }] as const],
    )
    return withClientTexts(new Map(counted))
  } catch (cause) {
    const reason = `${(cause as Error).message}. duet usage --json prints one`
    throw new CommandError(`${source} holds no counts: ${reason}.`, { exitCode: 2, cause })
  }
}

/** Reads `…/deprecation-usage` with an admin's API key. */
async function readFromService(url: string, { variables }: Environment): Promise<readonly UseGroup[]> {
  const headers = { 'X-API-Key': variables['DUET_API_KEY'] ?? '' }
  const groups: UseGroup[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = new URL(url)
    page.searchParams.set('limit', '100')
    if (cursor !== null) page.searchParams.set('cursor', cursor)
    const answer = await fetch(page, { headers, signal: AbortSignal.timeout(fetchTimeoutMs) }).catch((cause: Error) => {
      throw new CommandError(`${url} does not answer: ${cause.message}.`, { cause })
    })
    const body = (await answer.json().catch(() => null)) as UsagePage | null
    if (!answer.ok || !Array.isArray(body?.data)) {
      const remedy =
        'Name …/api/vN/deprecation-usage, and in DUET_API_KEY a key of an admin with read:deprecation-usage'
      throw new CommandError(`${url} answers ${answer.status}, and no counts. ${remedy}.`)
    }
    groups.push(...body.data.map(groupOf))
    cursor = body.meta?.next_cursor ?? body.next_cursor ?? null
    if (cursor === null) return groups
  }
  throw new CommandError(`${url} has more counts than can be read: give the database or a file.`)
}
interface UsagePage {
  readonly data: readonly Row[]
  readonly meta?: { readonly next_cursor: string | null }
  readonly next_cursor?: string
}
interface Row {
  readonly what: string
  readonly principal: string
  readonly client: string
  readonly day: string
  readonly count: number
}
function groupOf({ what, principal, client, day, count }: Row): UseGroup {
  const firstDay = day.slice(0, 10)
  return { what, principal, client, firstDay, lastDay: count === 0 ? null : firstDay, count }
}
