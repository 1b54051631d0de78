// What squawk, a linter of migrations for PostgreSQL, finds dangerous in statements: locks, and what running instances notice.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fetchPackages, packageCache, withoutPackages } from '../process/fetched-packages.ts'

const folder = join(packageCache, 'squawk')
const program = join(folder, 'node_modules/squawk-cli/js/bin/squawk')

/** Why tests with it are left out; false otherwise. It has 25 MB. */
export const withoutSquawk = withoutPackages(folder, 'SQUAWK')

/** Fetches it where it is missing. */
export const fetchSquawk = (): Promise<void> => fetchPackages(folder, ['squawk-cli@2.66.0'])

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
