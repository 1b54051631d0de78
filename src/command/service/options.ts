// The options of all commands.

import type { ParseArgsOptionsConfig } from 'node:util'

interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** The placeholder of its value. */
  readonly takes?: string
  readonly does: string
}

export const optionTable = {
  accepted: {
    type: 'string',
    takes: '<file>',
    does: 'The findings that are accepted: their ids, one a line, `*` for any part, and why behind `#`.',
  },
  'accept-loss': {
    type: 'string',
    multiple: true,
    takes: '<table.column>',
    does: 'What may be lost, by the name that `duet migrate plan` prints.',
  },
  all: { type: 'boolean', does: 'All dead letters, of one reaction where `--reaction` names it.' },
  as: { type: 'string', takes: '<who>', does: 'The caller: an e-mail address, an id, or `anonymous`.' },
  code: { type: 'string', takes: '<code>', does: 'The access code that the caller shows, or several with commas.' },
  fail: { type: 'boolean', does: 'Ends with 1 where something was found that is not accepted, for CI.' },
  'fail-on': {
    type: 'string',
    takes: '<widening>',
    does: 'Ends with 1 where rights widen or may widen, for CI.',
  },
  finish: { type: 'boolean', does: 'Also puts aside what the definition no longer has, once no older instance runs.' },
  folder: {
    type: 'string',
    takes: '<folder>',
    does: 'The folder of the contract; by default `contract` next to the service.',
  },
  indexes: { type: 'boolean', does: 'Also prints the indexes of each table, with the declarations that each serves.' },
  json: { type: 'boolean', does: 'Prints JSON, for programs.' },
  'send-verification': {
    type: 'boolean',
    does: 'Only requests another mail that proves the address of the account.',
  },
  'remove-second-factors': {
    type: 'boolean',
    does: 'Only removes authenticator apps, passkeys and recovery codes of the account, and ends its sessions.',
  },
  link: { type: 'boolean', does: 'Makes a link to choose a password also for an account that is there already.' },
  main: {
    type: 'string',
    takes: '<file>',
    does: 'The file that starts the service; by default `main.ts` of the current folder.',
  },
  reaction: { type: 'string', takes: '<name>', does: 'Only this reaction.' },
  role: { type: 'string', takes: '<name>', does: 'The role to give, where more than one may do everything.' },
  service: {
    type: 'string',
    takes: '<file>',
    does: 'The file that exports the service; by default `service.ts` of the current folder.',
  },
  set: {
    type: 'string',
    multiple: true,
    takes: '<field=value>',
    does: 'A field of the account that is made, such as its name.',
  },
  sql: {
    type: 'string',
    takes: '<folder>',
    does: 'Also writes the statements of each change into a file of its own, for reviews and linters.',
  },
  tenants: { type: 'boolean', does: 'A service for many organizations, with members, their roles and invitations.' },
  url: {
    type: 'string',
    takes: '<address>',
    does: 'The address of the service; by default BASE_URL, or PORT on this machine.',
  },
  usage: {
    type: 'string',
    takes: '<file or url>',
    does: 'Where usage is read: a file, or a service with an API key in DUET_API_KEY; by default the database of DATABASE_URL.',
  },
  version: { type: 'string', takes: '<v1>', does: 'The version of REST; by default the current one.' },
  watch: { type: 'string', multiple: true, takes: '<folder>', does: 'A folder to watch, instead of the current one.' },
} as const satisfies Readonly<Record<string, Option>> & ParseArgsOptionsConfig

export type OptionName = keyof typeof optionTable
