// The folder of a contract: a file per version, the schema, and everything else.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printJson } from '../../compatibility/canonical.ts'
import type { Document } from '../../compatibility/openapi-document.ts'
import type { Contract } from '../../compatibility/snapshot.ts'
import { CommandError } from './command.ts'

const documentName = /^openapi\.(v[1-9]\d*)\.json$/
const schemaName = 'schema.graphql'
const restName = 'contract.json'

/** Removes documents of versions that no longer exist. */
export async function writeContract(folder: string, contract: Contract): Promise<void> {
  const { documents, schema, ...rest } = contract
  await mkdir(folder, { recursive: true })
  for (const [version, document] of Object.entries(documents)) {
    await writeFile(join(folder, `openapi.${version}.json`), printJson(document))
  }
  for (const name of await readdir(folder)) {
    const version = documentName.exec(name)?.[1]
    if (version !== undefined && !Object.hasOwn(documents, version)) await rm(join(folder, name))
  }
  await writeFile(join(folder, schemaName), schema)
  await writeFile(join(folder, restName), printJson(rest))
}

/** Fails with CommandError if there is no contract; `shown` is the user's name of the folder. */
export async function readContract(folder: string, shown: string): Promise<Contract> {
  try {
    const names = (await readdir(folder)).filter((name) => documentName.test(name)).sort()
    const documents = await Promise.all(
      names.map(async (name) => [documentName.exec(name)![1]!, await readJson(join(folder, name))] as const),
    )
    const schema = await readFile(join(folder, schemaName), 'utf8')
    const rest = (await readJson(join(folder, restName))) as Pick<Contract, 'clock' | 'deprecations' | 'limits'>
    return { documents: Object.fromEntries(documents) as Readonly<Record<string, Document>>, schema, ...rest }
  } catch (cause) {
    // The remedy is the same for a missing and an unreadable file.
    const reason = `${(cause as Error).message}. Write it with: duet contract snapshot`
    throw new CommandError(`There is no contract in ${shown}: ${reason}`, { exitCode: 2, cause })
  }
}

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'))
