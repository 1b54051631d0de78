// `duet doctor`: checks whether a service can run with these variables and this database, and suggests remedies.

import { ConfigurationError } from '../../service/configuration/configuration.ts'
import { examineConfiguration } from '../../service/diagnosis/examine-configuration.ts'
import { examineDatabase } from '../../service/diagnosis/examine-database.ts'
import { type Finding, problem } from '../../service/diagnosis/finding.ts'
import { type Command, type CommandEnvironment, CommandError, readArguments } from '../service/command.ts'
import { readDatabase } from '../service/open-database.ts'
import { loadServed, type Served } from '../service/served.ts'

/** Changes nothing. Returns 1 if there is a problem. Fails with ServiceDefinitionError. */
export const doctorCommand: Command = async (args, environment) => {
  const { values } = readArguments(args, ['service', 'json'])
  const findings = await examine(values.service, environment)
  const problems = findings.filter(({ state }) => state === 'problem').length
  environment.write(values.json ? `${JSON.stringify({ findings }, null, 2)}\n` : printed(findings))
  return problems > 0 ? 1 : 0
}

async function examine(file: string | undefined, environment: CommandEnvironment): Promise<readonly Finding[]> {
  let served: Served
  try {
    served = await loadServed(file, environment.folder, environment.variables)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return [problem('configuration', error.message, 'docs/configuration.md has every variable.')]
  }
  const { model, configuration } = served
  const found = await examineConfiguration(configuration, environment.variables)
  try {
    const inDatabase = await readDatabase(environment, (store) =>
      examineDatabase({ store, model, configuration, now: environment.now }),
    )
    return [...found, ...inDatabase]
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return [...found, problem('database', error.message, 'See docs/runbook.md.')]
  }
}

const marks = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' }

function printed(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  return findings
    .map(({ about, state, finding, remedy }) => {
      const line = `${marks[state]} ${about.padEnd(width)}  ${finding}\n`
      return remedy === null ? line : `${line}${' '.repeat(width + 11)}→ ${remedy}\n`
    })
    .join('')
}
