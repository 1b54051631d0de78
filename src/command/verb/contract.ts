// `duet contract`: records what a service promises, and reports breaking changes. (contract 9.3)

import { dirname, isAbsolute, join, relative } from 'node:path'
import { canonicalDocument } from '../../compatibility/canonical.ts'
import { compareContracts } from '../../compatibility/compare.ts'
import { printChanges } from '../../compatibility/print.ts'
import type { Evidence } from '../../compatibility/removal.ts'
import type { Contract } from '../../compatibility/snapshot.ts'
import { deprecationsIn } from '../../graphql/schema/deprecation.ts'
import type { Limits } from '../../limits.ts'
import { moveText } from '../../resource/about.ts'
import { dayOf } from '../../resource/deprecation.ts'
import { deprecationsOf } from '../../service/start/deprecations.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'
import { readContract, writeContract } from '../service/contract-files.ts'
import { serviceFile } from '../service/load-service.ts'
import { loadServed, type Served } from '../service/served.ts'
import { findUses } from '../service/uses.ts'
import { printed } from './schema.ts'

const verbs: Readonly<Record<string, Command>> = {
  /** Writes the contract for later comparison. */
  async snapshot(args, { folder, variables, write }) {
    const { values } = readArguments(args, ['service', 'folder'])
    const place = placeOf(values, folder)
    await writeContract(place, contractOf(await loadServed(values.service, folder, variables)))
    write(`The contract is in ${relative(folder, place)}. Commit it: duet contract check compares with it.\n`)
    return 0
  },

  /** Returns 1 if a change breaks the contract, otherwise 0. */
  async check(args, environment) {
    const { folder, variables, write, now } = environment
    const { values } = readArguments(args, ['service', 'folder', 'usage', 'json'])
    const place = placeOf(values, folder)
    const before = await readContract(place, relative(folder, place))
    const served = await loadServed(values.service, folder, variables)
    const { quietDays } = served.configuration.limits
    const evidence: Evidence = { today: dayOf(now()), quietDays, uses: null }
    const after = contractOf(served)
    const differences = compareContracts(before, after, evidence)
    // Uses matter only if something deprecated was removed.
    const isAsked = differences.some(({ removed }) => before.deprecations.some(({ what }) => what === removed))
    const uses = isAsked ? await findUses(values.usage, served.model, quietDays, environment) : null
    const changes = isAsked ? compareContracts(before, after, { ...evidence, uses }) : differences
    write(values.json ? `${JSON.stringify({ changes }, null, 2)}\n` : `${printChanges(changes)}\n`)
    return changes.some(({ verdict }) => verdict === 'breaking') ? 1 : 0
  },
}

export const contractCommand: Command = async ([verb = '', ...args], environment) => {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (run === undefined) {
    const actual = verb === '' ? '' : `, not "${verb}"`
    throw new CommandError(`Use snapshot or check${actual}.`, { exitCode: 2 })
  }
  return run(args, environment)
}

/** The given folder, or `contract` next to the service. */
function placeOf({ folder: contractFolder, service }: { folder?: string; service?: string }, folder: string): string {
  const place = contractFolder ?? join(dirname(serviceFile(service, folder)), 'contract')
  return isAbsolute(place) ? place : join(folder, place)
}

/** What the service would serve, in the recorded form. */
function contractOf(served: Served): Contract {
  const schema = served.schema()
  const documents = served.versions.map((version) => [version.name, canonicalDocument(served.document(version))])
  const deprecations = [...deprecationsOf(served.model, deprecationsIn(schema))]
  return {
    documents: Object.fromEntries(documents),
    schema: printed(schema),
    deprecations: deprecations
      .map(([what, deprecation]) => ({ what, ...deprecation }))
      .sort((one, other) => (one.what < other.what ? -1 : 1)),
    clock: Object.fromEntries(
      served.model.resources.flatMap(({ timedMoves }) => timedMoves.map((move) => [move.name, moveText(move)])),
    ),
    limits: Object.fromEntries(clientLimits.map((name) => [name, served.configuration.limits[name]])),
  }
}

/** Limits that affect clients. */
const clientLimits: readonly (keyof Limits)[] = [
  'authBodyBytes',
  'batch',
  'defaultPageSize',
  'eventSeconds',
  'flowPerMinute',
  'forgotPasswordPerMinute',
  'frameBytes',
  'graphqlBodyBytes',
  'headerBytes',
  'idempotencyKeyLength',
  'idempotencySeconds',
  'ipPerMinute',
  'jsonDepth',
  'loginPerMinute',
  'offset',
  'pageSize',
  'queryComplexity',
  'queryDepth',
  'queryNodes',
  'queryTokens',
  'recordsPerWrite',
  'restBodyBytes',
  'rootMutations',
  'socketSubscriptions',
  'urlBytes',
  'userPerHour',
]
