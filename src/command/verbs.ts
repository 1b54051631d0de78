// The verbs of `duet`.

import type { Command } from './service/command.ts'
import { type OptionName, optionTable } from './service/options.ts'

export interface Verb {
  /** The verb's arguments on the command line. */
  readonly takes: string
  readonly does: string
  /** Imported on use: `duet --help` needs none of them. */
  readonly load: () => Promise<Command>
}

export const verbs: Readonly<Record<string, Verb>> = {
  new: {
    takes: '<folder> [--tenants]',
    does: 'Writes a small service into a new folder: definitions, tests, a CI file. It starts and passes its tests.',
    load: async () => (await import('./verb/new.ts')).newCommand,
  },
  dev: {
    takes: '[--main <file>] [--watch <folder>]…',
    does: 'Starts the service of the current folder, and again whenever a source file there changes, or in the folders named.',
    load: async () => (await import('./verb/dev.ts')).devCommand,
  },
  routes: {
    takes: '[--service <file>] [--json]',
    does: 'Prints every REST route and every GraphQL field, and who may use it.',
    load: async () => (await import('./verb/routes.ts')).routesCommand,
  },
  schema: {
    takes: '[--service <file>]',
    does: 'Prints the GraphQL schema, for the tools of clients.',
    load: async () => (await import('./verb/schema.ts')).schemaCommand,
  },
  openapi: {
    takes: '[--version <v1>] [--service <file>]',
    does: 'Prints the OpenAPI document of the current version, or of the one named.',
    load: async () => (await import('./verb/openapi.ts')).openapiCommand,
  },
  types: {
    takes: '[--version <v1>] [--service <file>]',
    does: 'Prints TypeScript types of the records, inputs and requests of a version, for clients that do not import the service.',
    load: async () => (await import('./verb/types.ts')).typesCommand,
  },
  contract: {
    takes: 'snapshot | check [--folder <contract>] [--service <file>] [--usage <file or url>] [--json]',
    does: 'Writes down what the service promises; or compares with it, and ends with 1 where clients would break.',
    load: async () => (await import('./verb/contract.ts')).contractCommand,
  },
  check: {
    takes: '[--service <file>] [--accepted <file>] [--fail] [--indexes] [--json]',
    does: 'Names each question that no index serves and what it costs; with the plans and rows of DATABASE_URL, where that is set.',
    load: async () => (await import('./verb/check.ts')).checkCommand,
  },
  usage: {
    takes: '[--service <file>] [--json]',
    does: 'Prints who still uses what is deprecated, and when it may go. Reads the database of DATABASE_URL.',
    load: async () => (await import('./verb/usage.ts')).usageCommand,
  },
  explain: {
    takes: '--as <e-mail, id or anonymous> [--code <code>] <METHOD> <path> [--service <file>]',
    does: 'Prints which rule decides a request, and why the answer is 401, 403 or 404. Reads the database of DATABASE_URL.',
    load: async () => (await import('./verb/explain.ts')).explainCommand,
  },
  admin: {
    takes:
      '<e-mail address> [--role <name>] [--set <field=value>] [--link] [--send-verification] [--remove-second-factors] [--service <file>]',
    does: 'Gives an account the role that may do everything, and makes it where there is none. Works on DATABASE_URL.',
    load: async () => (await import('./verb/admin.ts')).adminCommand,
  },
  doctor: {
    takes: '[--service <file>] [--json]',
    does: 'Looks at configuration, DATABASE_URL, schema, keys, Redis and reactions; ends with 1 where a problem was found.',
    load: async () => (await import('./verb/doctor.ts')).doctorCommand,
  },
  status: {
    takes: '[--url <address>] [--json]',
    does: 'Reports whether a running service and what it depends on are ready, and the work in DATABASE_URL; exits with 1 if not.',
    load: async () => (await import('./verb/status.ts')).statusCommand,
  },
  migrate: {
    takes:
      'plan | apply | status | purge [--finish] [--accept-loss <table.column>]… [--fail-on <widening>] [--sql <folder>] [--service <file>] [--json]',
    does: 'Prints what the definition changes in DATABASE_URL, and ends with 0 where it is nothing, 2 where it is work, 3 where something is lost, with the rights that change; or applies it while requests are served; or reports how far that is.',
    load: async () => (await import('./verb/migrate.ts')).migrateCommand,
  },
  keys: {
    takes: '[list | rotate | remove <kid> | reencrypt] [--service <file>]',
    does: 'Shows the keys that sign tokens, publishes or withdraws one; or encrypts secrets anew, after DATA_KEY. Works on DATABASE_URL.',
    load: async () => (await import('./verb/keys.ts')).keysCommand,
  },
  backup: {
    takes: '<file>',
    does: 'Copies the SQLite file of DATABASE_URL, as it is at one moment, while the service runs. Overwrites nothing.',
    load: async () => (await import('./verb/backup.ts')).backupCommand,
  },
  reactions: {
    takes: '[list | replay <number> | discard <number> | forget] [--all] [--reaction <name>]',
    does: 'Shows reactions and what they gave up, tries that again or lets it go. Works on DATABASE_URL.',
    load: async () => (await import('./verb/reactions.ts')).reactionsCommand,
  },
}

/** The options in `takes`; a test compares them with what the command reads. */
export const optionsIn = ({ takes }: Verb): readonly OptionName[] =>
  Array.from(takes.matchAll(/--([a-z-]+)/g), ([, name]) => name as OptionName)

/** `--service <file>`, and its effect. */
export function describeOption(name: OptionName): { readonly option: string; readonly does: string } {
  const { does, ...rest } = optionTable[name]
  return { option: 'takes' in rest ? `--${name} ${rest.takes}` : `--${name}`, does }
}
