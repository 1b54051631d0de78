// Tests services that are not written with Duet, and prints a row of the table in README.md for each: `npm run foreign`.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProcess } from '../../test/support/process/run-process.ts'
import { createDatabase } from '../../test/support/server/databases.ts'
import { type ForeignService, foreignServices, startForeign } from './start.ts'

const command = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const words = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'duet-foreign-'))

for (const name of foreignServices.filter((each) => words.length === 0 || words.includes(each))) await test(name)
await rm(folder, { recursive: true })

async function test(name: ForeignService): Promise<void> {
  const database = name === 'fastify' ? null : await createDatabase('postgres')
  const service = await startForeign(name, database?.url)
  const output = join(folder, `${name}.json`)
  const profile = fileURLToPath(new URL(`${name}.json`, import.meta.url))
  const args = [command, service.url, '--profile', profile, '--report', 'statement', '--output', output]
  await runProcess(process.execPath, args, folder)
  await service.close()
  await database?.drop()
  const { tested } = JSON.parse(await readFile(output, 'utf8')) as { tested: Record<'kept' | 'broken', string[]> }
  console.log(`| ${name} | ${tested.kept.length} | ${tested.broken.length} | ${tested.kept.join(', ')} |`)
}
