// What squawk, a linter of migrations for PostgreSQL, finds dangerous in statements: locks, and what running instances notice.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../process/command.ts'

const platform = join(repository, `node_modules/@squawk-cli/${process.platform}-${process.arch}`)
const program = join(repository, 'node_modules/squawk-cli/js/bin/squawk')

/** False where it is installed, otherwise why it is not. In CI that is an error. */
export function withoutSquawk(): false | string {
  if (existsSync(platform)) return false
  if (process.env['CI'] === 'true') throw new Error('squawk-cli is not installed: npm ci')
  return 'squawk-cli is not installed: npm ci'
}

/** About style, or what `apply` does for each statement: it sets timeouts, and runs each once. */
const excluded = [
  'prefer-bigint-over-int',
  'prefer-identity',
  'prefer-robust-stmts',
  'prefer-text-field',
  'prefer-timestamptz',
  'require-lock-timeout',
  'require-statement-timeout',
]

export interface Danger {
  readonly rule: string
  readonly statement: string
}

export function squawkOn(statements: readonly string[]): readonly Danger[] {
  if (statements.length === 0) return []
  const input = statements.map((each) => `${each.replaceAll('\n', ' ')};\n`).join('')
  const args = [
    '--reporter',
    'json',
    '--pg-version',
    '14.0',
    '--stdin-filepath',
    'plan.sql',
    '--exclude',
    excluded.join(),
  ]
  const { stdout, stderr, error } = spawnSync(process.execPath, [program, ...args], { input, encoding: 'utf8' })
  if (error !== undefined || stdout === '') throw new Error(`squawk has failed: ${stderr}`, { cause: error })
  const found = JSON.parse(stdout) as readonly { readonly rule_name: string; readonly line: number }[]
  return found.map(({ rule_name, line }) => ({ rule: rule_name, statement: statements[line]! }))
}
