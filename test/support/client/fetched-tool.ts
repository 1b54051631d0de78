// What clients make of our documents with: generators and imports that are too large for `npm ci`.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fetchPackages, packageCache, withoutPackages } from '../process/fetched-packages.ts'

const tools = {
  orval: ['orval@8.38.0', 'zod@4.6.7'],
  // It is written against the programming interface that TypeScript had before version 7.
  'hey-api': ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'],
  postman: ['openapi-to-postmanv2@6.3.3'],
  bruno: ['@usebruno/converters@0.23.0'],
  'graphql-eslint': ['@graphql-eslint/eslint-plugin@4.4.1', 'eslint@10.15.0', 'graphql@16.15.0'],
} as const

export type FetchedTool = keyof typeof tools

const folderOf = (tool: FetchedTool): string => join(packageCache, 'generators', tool)

/** Why tests with this tool are left out. Each has 40 to 90 MB. */
export const withoutTool = (tool: FetchedTool): string | false => withoutPackages(folderOf(tool), 'GENERATORS')

/** Fetches a tool where it is missing, and lets programs in this folder import it. */
export async function installTool(tool: FetchedTool, folder: string): Promise<void> {
  await fetchPackages(folderOf(tool), tools[tool])
  symlinkSync(join(folderOf(tool), 'node_modules'), join(folder, 'node_modules'))
}
