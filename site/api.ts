// `npm run api`: writes what is public and made from the code: api.md, what authors and clients may import with its types, and
// docs/configuration.md, the environment variables. A change that breaks them shows in its review.

import { writeFileSync } from 'node:fs'
import { readEntryPoints } from './reference/exports.ts'
import { configurationPage } from './reference/pages.ts'

export const apiFile = new URL('../api.md', import.meta.url)
export const configurationFile = new URL('../docs/configuration.md', import.meta.url)

/** The report as the code has it now. */
export function makeApiReport(): string {
  const parts = readEntryPoints().map(({ name, exports }) => {
    const signatures = exports.map(({ signature }) => signature).join('\n\n')
    return `## ${name}\n\n\`\`\`ts\n${signatures}\n\`\`\`\n`
  })
  return [
    '# What can be imported\n',
    '`npm run api` writes this file; a test compares it with the code.\n',
    ...parts,
  ].join('\n')
}

if (import.meta.filename === process.argv[1]) {
  writeFileSync(apiFile, makeApiReport())
  writeFileSync(configurationFile, configurationPage())
}
