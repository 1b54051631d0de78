// `duet …`: finds the verb and runs it. Of the commands, only this file touches `process`.

import { spawn } from 'node:child_process'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import { ConfigurationError } from '../service/configuration.ts'
import { duetVersion } from '../service/start-line.ts'
import { type Command, type CommandEnvironment, CommandError, type NodeProcess } from './command.ts'

interface Verb {
  /** What stands behind the verb on a command line. */
  readonly takes: string
  readonly does: string
  /** A verb is imported when it is asked for: `duet --help` needs none of them. */
  readonly load: () => Promise<Command>
}

const verbs: Readonly<Record<string, Verb>> = {
  new: {
    takes: '<folder>',
    does: 'Writes a small service into a new folder: definitions, tests, a CI file. It starts and passes its tests.',
    load: async () => (await import('./new.ts')).newCommand,
  },
  dev: {
    takes: '[--main <file>] [--watch <folder>]…',
    does: 'Starts the service of the current folder, and again whenever a source file there changes, or in the folders named.',
    load: async () => (await import('./dev.ts')).devCommand,
  },
  routes: {
    takes: '[--service <file>] [--json]',
    does: 'Prints every REST route and every GraphQL field, and who may use it.',
    load: async () => (await import('./routes.ts')).routesCommand,
  },
  schema: {
    takes: '[--service <file>]',
    does: 'Prints the GraphQL schema, for the tools of clients.',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  openapi: {
    takes: '[--version <v1>] [--service <file>]',
    does: 'Prints the OpenAPI document of the current version, or of the one named.',
    load: async () => (await import('./openapi.ts')).openapiCommand,
  },
  types: {
    takes: '[--version <v1>] [--service <file>]',
    does: 'Prints TypeScript types of the records, inputs and requests of a version, for clients that do not import the service.',
    load: async () => (await import('./types.ts')).typesCommand,
  },
  contract: {
    takes: 'snapshot | check [--folder <contract>] [--service <file>] [--usage <file or url>] [--json]',
    does: 'Writes down what the service promises; or compares with it, and ends with 1 where clients would break.',
    load: async () => (await import('./contract.ts')).contractCommand,
  },
  usage: {
    takes: '[--service <file>] [--json]',
    does: 'Prints who still uses what is deprecated, and when it may go. Reads the database of DATABASE_URL.',
    load: async () => (await import('./usage.ts')).usageCommand,
  },
  explain: {
    takes: '--as <e-mail, id or anonymous> <METHOD> <path> [--service <file>]',
    does: 'Says which rule answers a request, and why with 401, 403 or 404. Reads the database of DATABASE_URL.',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  admin: {
    takes: '<e-mail address> [--role <name>] [--set <field=value>] [--link] [--service <file>]',
    does: 'Gives an account the role that may do everything, and makes it where there is none. Works on DATABASE_URL.',
    load: async () => (await import('./admin.ts')).adminCommand,
  },
  keys: {
    takes: '[list | rotate | remove <kid>]',
    does: 'Shows the keys that sign tokens, publishes a new one, or withdraws one at once. Works on DATABASE_URL.',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  backup: {
    takes: '<file>',
    does: 'Copies the SQLite file of DATABASE_URL, as it is at one moment, while the service runs. Overwrites nothing.',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  reactions: {
    takes: '[list | replay <number> | discard <number> | forget] [--all] [--reaction <name>]',
    does: 'Shows reactions and what they gave up, tries that again or lets it go. Works on DATABASE_URL.',
    load: async () => (await import('./reactions.ts')).reactionsCommand,
  },
}

function usage(): string {
  const lines = Object.entries(verbs).map(([name, { takes, does }]) => `  duet ${name} ${takes}\n      ${does}`)
  const closing = 'A service is looked for in service.ts of the current folder.'
  return ['Usage:', '', ...lines, '  duet --help | --version', '', closing, ''].join('\n')
}

const environment: CommandEnvironment = {
  folder: process.cwd(),
  variables: process.env,
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  now: () => new Date(),
  startNode,
  onEnd,
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') environment.write(`${duetVersion()}\n`)
  else if (name === '--help' || name === '-h') environment.write(usage())
  else if (name === undefined) throw new CommandError(`Say what to do.\n\n${usage().trimEnd()}`, { exitCode: 2 })
  else return await runVerb(name, args)
  return 0
}

async function runVerb(name: string, args: readonly string[]): Promise<number> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) {
    throw new CommandError(`There is no command "${name}"; duet --help lists them.`, { exitCode: 2 })
  }
  if (args.includes('--help') || args.includes('-h')) {
    environment.write(`Usage: duet ${name} ${verb.takes}\n\n${verb.does}\n`)
    return 0
  }
  const command = await verb.load()
  return command(args, environment)
}

function startNode(args: readonly string[]): NodeProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit' })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 0))
  })
  return { ended, kill: (signal) => void child.kill(signal) }
}

function onEnd(listener: (signal: NodeJS.Signals | null) => void): void {
  process.on('SIGTERM', () => listener('SIGTERM'))
  // A terminal tells the service too; told twice, it would end without finishing what runs.
  process.on('SIGINT', () => listener(process.stdin.isTTY ? null : 'SIGINT'))
}

// Whoever reads only the beginning, as `duet routes | head` does, has had enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  // A person wants the sentence; only what nobody foresaw needs its stack.
  const isForeseen = [CommandError, ConfigurationError, ServiceDefinitionError].some((kind) => error instanceof kind)
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  process.stderr.write(`${isForeseen ? message : (stack ?? message)}\n`)
  process.exitCode = error instanceof CommandError ? error.exitCode : 1
}
