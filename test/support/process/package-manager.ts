// Package managers as their users run them: with a Node of one's choice, and with nothing in the environment that npm has put there.

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

export type ManagerName = 'npm' | 'pnpm' | 'yarn 1' | 'yarn 4'

interface Manager {
  /** Its program, where it is not the `npm` of this machine. */
  readonly program: string | null
  /** Writes a project with `duet-api new shop`, out of an archive. */
  readonly begin: (archive: string) => readonly (readonly string[])[]
  /** Installs what the lock file says. */
  readonly repeat: readonly string[]
  readonly withoutScripts: string
}

const cache = join(repository, 'node_modules/.cache/managers')
const installed = (path: string) => join(cache, 'node_modules', path)

export const managers: Readonly<Record<ManagerName, Manager>> = {
  npm: {
    program: null,
    begin: (archive) => [['exec', '--yes', '--package', archive, '--', 'duet-api', 'new', 'shop']],
    repeat: ['ci'],
    withoutScripts: '--ignore-scripts',
  },
  pnpm: {
    program: installed('pnpm/bin/pnpm.mjs'),
    begin: (archive) => [[`--package=${archive}`, 'dlx', 'duet-api', 'new', 'shop']],
    repeat: ['install', '--frozen-lockfile'],
    withoutScripts: '--ignore-scripts',
  },
  'yarn 1': {
    program: installed('yarn/bin/yarn.js'),
    begin: (archive) => [
      ['add', `file:${archive}`],
      ['duet-api', 'new', 'shop'],
    ],
    repeat: ['install', '--frozen-lockfile'],
    withoutScripts: '--ignore-scripts',
  },
  'yarn 4': {
    program: installed('@yarnpkg/cli-dist/bin/yarn.js'),
    begin: (archive) => [
      ['add', `duet-api@file:${archive}`],
      ['duet-api', 'new', 'shop'],
    ],
    repeat: ['install', '--immutable'],
    withoutScripts: '--mode=skip-build',
  },
}

/** Fetches the others than npm, where they are missing. */
export async function fetchManagers(): Promise<void> {
  if (existsSync(cache)) return
  await mkdir(cache, { recursive: true })
  const packages = ['pnpm@12.21.0', 'yarn@1.22.22', '@yarnpkg/cli-dist@4.18.1']
  const args = ['install', '--prefix', cache, '--ignore-scripts', '--no-save', ...packages]
  const { printed, code } = await runProcess('npm', args, cache)
  if (code !== 0) throw new Error(printed)
}

/** Runs a manager with the Node of this folder. Rejects with what it printed where it fails. */
export async function runManager(name: ManagerName, node: string, args: readonly string[], folder: string) {
  const { program } = managers[name]
  const command = program === null ? ['npm'] : [join(node, 'node'), program]
  const own = Object.entries(process.env).filter(([key]) => !/^npm_(?!config_(?:registry|cafile|cache)$)/i.test(key))
  const env = {
    ...Object.fromEntries(own),
    PATH: [node, process.env['PATH'] ?? ''].join(delimiter),
    // Nobody compiles: whoever tries to fails.
    npm_config_node_gyp: join(folder, 'no-node-gyp.js'),
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
  const [file, ...before] = command as [string, ...string[]]
  const { printed, code } = await runProcess(file, [...before, ...args], folder, env)
  if (code !== 0) throw new Error(`${name} ${args.join(' ')}, with ${dirname(node)}:\n${printed}`)
  return printed
}
