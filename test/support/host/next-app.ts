// An app of Next whose one route handler answers everything by the handler of this process.

import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runProcess } from '../process/run-process.ts'
import { folderOf } from './fetched-host.ts'

/** The folder of the app, beside the packages of Next. */
export const nextApp: string = join(folderOf('next'), 'contract')

const files = {
  'package.json': '{ "private": true, "type": "module" }',
  // The base path is empty here, so the redirects of Next must not come first.
  'next.config.mjs': `export default {
  skipTrailingSlashRedirect: true,
  compress: false,
  poweredByHeader: false,
  turbopack: { root: ${JSON.stringify(folderOf('next'))} },
}`,
  'app/[[...path]]/route.js': `const answer = (request) => globalThis.duetHandler(request)
export const dynamic = 'force-dynamic'
export {
  answer as DELETE, answer as GET, answer as HEAD, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT,
}`,
}

/** Builds it, where that has not been done. */
export async function buildNextApp(): Promise<void> {
  // Written last of all.
  if (existsSync(join(nextApp, '.next/required-server-files.json'))) return
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(nextApp, path)), { recursive: true })
    await writeFile(join(nextApp, path), text)
  }
  const next = join(folderOf('next'), 'node_modules/next/dist/bin/next')
  const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
  const { printed, code } = await runProcess(process.execPath, [next, 'build'], nextApp, environment)
  if (code !== 0) throw new Error(printed)
}
