// Fetches a service that is not written with Duet, and starts it: Fastify and Mercurius by hand, Platformatic DB, PostGraphile.

import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchPackages, packageCache, withoutPackages } from '../../test/support/process/fetched-packages.ts'

const packages = {
  fastify: ['fastify@5.12.8', 'mercurius@16.10.1'],
  platformatic: ['@platformatic/db@3.67.0', 'pg@8.23.1'],
  postgraphile: ['postgraphile@5.1.5', 'pg@8.23.1'],
} as const

export type ForeignService = keyof typeof packages
export const foreignServices = Object.keys(packages) as readonly ForeignService[]

const folderOf = (name: ForeignService): string => join(packageCache, 'foreign', name)

/** Why tests of it are left out. Each has 30 to 250 MB. */
export const withoutForeign = (name: ForeignService): string | false => withoutPackages(folderOf(name), 'FOREIGN')

export interface RunningService {
  readonly url: string
  close(): Promise<void>
}

/** `databaseUrl` is a database of PostgreSQL, which all but the first need; they make their own table in it. */
export async function startForeign(name: ForeignService, databaseUrl = ''): Promise<RunningService> {
  await fetchPackages(folderOf(name), packages[name])
  const folder = await mkdtemp(join(tmpdir(), 'duet-foreign-'))
  await symlink(join(folderOf(name), 'node_modules'), join(folder, 'node_modules'))
  await copyFile(new URL(`${name}.mjs`, import.meta.url), join(folder, 'main.mjs'))
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const env = { ...inherited, PORT: '0', DATABASE_URL: databaseUrl }
  const child = spawn(process.execPath, [join(folder, 'main.mjs')], { cwd: folder, env })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const read = (chunk: Buffer) => {
      printed += chunk
      const [, port] = /listening on http:\/\/[^:]+:(\d+)/.exec(printed) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('close', () => reject(new Error(printed)))
  })
  return {
    url,
    async close() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
