// `duet usage`: reports who uses deprecated parts, and when these may be removed. (contract 9.4)

import { clientText, type ThingUsed } from '../../deprecation/gather.ts'
import { deprecationsIn } from '../../graphql/schema/deprecation.ts'
import { type Deprecation, removableAfter } from '../../resource/deprecation.ts'
import { deprecationsOf } from '../../service/start/deprecations.ts'
import { type Command, readArguments } from '../service/command.ts'
import { loadServed } from '../service/served.ts'
import { usesInDatabase } from '../service/uses.ts'

/** A deprecated part and its uses. */
interface DeprecationReport extends Deprecation {
  readonly what: string
  readonly removableFrom: string
  /** Null if nothing was counted yet. */
  readonly countedSince: string | null
  readonly lastUsed: string | null
  readonly clients: ThingUsed['clients']
}

/** Reads the database of DATABASE_URL, and changes nothing. */
export const usageCommand: Command = async (args, environment) => {
  const { values } = readArguments(args, ['service', 'json'])
  const { model, schema, configuration } = await loadServed(values.service, environment.folder, environment.variables)
  const { quietDays } = configuration.limits
  const uses = await usesInDatabase(model, quietDays, environment)
  const deprecations = [...deprecationsOf(model, deprecationsIn(schema()))].map(
    ([what, deprecation]): DeprecationReport => {
      const usage = uses.get(what)
      const watched = usage?.lastUsed ?? usage?.countedSince ?? deprecation.since
      return {
        what,
        ...deprecation,
        removableFrom: removableAfter(deprecation, watched, quietDays),
        countedSince: usage?.countedSince ?? null,
        lastUsed: usage?.lastUsed ?? null,
        clients: usage?.clients ?? [],
      }
    },
  )
  environment.write(values.json ? `${JSON.stringify({ deprecations }, null, 2)}\n` : printed(deprecations, quietDays))
  return 0
}

function printed(deprecations: readonly DeprecationReport[], quietDays: number): string {
  if (deprecations.length === 0) return 'Nothing is deprecated.\n'
  return `${deprecations.map((each) => section(each, quietDays)).join('\n\n')}\n`
}

function section(deprecation: DeprecationReport, quietDays: number): string {
  const { what, since, use, removableFrom, countedSince, lastUsed, clients } = deprecation
  const instead = use === null ? '' : `, use ${use}`
  const used =
    lastUsed !== null
      ? `last used on ${lastUsed}`
      : countedSince === null
        ? 'not counted yet'
        : `not used since ${countedSince}`
  const width = Math.max(0, ...clients.map((each) => clientText(each).length))
  return [
    `${what}: deprecated on ${since}${instead}; ${used}; may go on ${removableFrom} at the earliest.`,
    ...(clients.length === 0 ? [] : [`  Within ${quietDays} days:`]),
    ...clients.map((each) => `  ${clientText(each).padEnd(width)}  ${each.count} uses, the last on ${each.lastDay}`),
  ].join('\n')
}
