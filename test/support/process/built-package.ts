// Duet as its users have it: packed and unpacked, in a folder of its own, so that a project can depend on it without a download.

import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { linkPackages, packPackage, unpack } from './archive.ts'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

/** Makes the package in this folder, which must not exist, with its dependencies and the optional peers of a service on SQLite. */
export async function buildPackage(folder: string): Promise<void> {
  await unpack(await packPackage(`${folder}-packed`), folder)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  await linkPackages(join(folder, 'node_modules'), [...Object.keys(dependencies), 'better-sqlite3', '@node-rs/argon2'])
}

/** What `npm install` would do in a project that depends on Duet. */
export async function installPackage(built: string, project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  for (const folder of ['@types', '.bin']) await mkdir(join(modules, folder), { recursive: true })
  await symlink(built, join(modules, 'duet-api'))
  await symlink(join(repository, 'node_modules/@types/node'), join(modules, '@types/node'))
  await symlink(join(repository, 'node_modules/.bin/tsc'), join(modules, '.bin/tsc'))
}

/** Checks the types of a project that has a tsconfig.json; answers what the compiler prints, which is nothing. */
export async function checkTypes(project: string): Promise<string> {
  return (await runProcess(join(repository, 'node_modules/.bin/tsc'), ['-p', project], project)).printed
}
