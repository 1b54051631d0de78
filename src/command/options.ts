// Every option that a command may have, once: how it is read, and what it does for whoever looks it up.

import type { ParseArgsOptionsConfig } from 'node:util'

interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** What stands behind it on a command line; left out where nothing does. */
  readonly takes?: string
  readonly does: string
}

export const optionTable = {
  accepted: {
    type: 'string',
    takes: '<file>',
    does: 'The findings that are accepted: their ids, one a line, `*` for any part, and why behind `#`.',
  },
  all: { type: 'boolean', does: 'All dead letters, of one reaction where `--reaction` names it.' },
  as: { type: 'string', takes: '<who>', does: 'Who asks: an e-mail address, an id, or `anonymous`.' },
  fail: { type: 'boolean', does: 'Ends with 1 where something was found that is not accepted, for CI.' },
  folder: {
    type: 'string',
    takes: '<folder>',
    does: 'Where the written contract is; `contract` beside the service unless said.',
  },
  json: { type: 'boolean', does: 'Prints JSON, for programs.' },
  link: { type: 'boolean', does: 'Makes a link to choose a password also for an account that is there already.' },
  main: {
    type: 'string',
    takes: '<file>',
    does: 'The file that starts the service; `main.ts` of the current folder unless said.',
  },
  reaction: { type: 'string', takes: '<name>', does: 'Only this reaction.' },
  role: { type: 'string', takes: '<name>', does: 'The role to give, where more than one may do everything.' },
  service: {
    type: 'string',
    takes: '<file>',
    does: 'The file that exports the service; `service.ts` of the current folder unless said.',
  },
  set: {
    type: 'string',
    multiple: true,
    takes: '<field=value>',
    does: 'A field of the account that is made, such as its name.',
  },
  tenants: { type: 'boolean', does: 'A service for many organizations, with members, their roles and invitations.' },
  url: {
    type: 'string',
    takes: '<address>',
    does: 'Where the service answers; BASE_URL unless said, or the port of PORT on this machine.',
  },
  usage: {
    type: 'string',
    takes: '<file or url>',
    does: 'Where to read who still uses what: a file, or a service with an API key in DUET_API_KEY; the database of DATABASE_URL unless said.',
  },
  version: { type: 'string', takes: '<v1>', does: 'The version of REST; the current one unless said.' },
  watch: { type: 'string', multiple: true, takes: '<folder>', does: 'A folder to watch, instead of the current one.' },
} as const satisfies Readonly<Record<string, Option>> & ParseArgsOptionsConfig

export type OptionName = keyof typeof optionTable

/** Some of them, as `readArguments` takes them. */
export const optionsOf = <const N extends OptionName>(...names: readonly N[]): Pick<typeof optionTable, N> =>
  Object.fromEntries(names.map((name) => [name, optionTable[name]])) as Pick<typeof optionTable, N>
