// A host in a process of its own, on another runtime: the service runs there, and this process looks into its database.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { api } from '../../../reference/service.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { openHandler } from '../../../src/service/open-handler.ts'
import { assignments } from '../domain/assignments.ts'
import { shelf } from '../domain/shelf.ts'
import { repository } from '../process/command.ts'
import { startProcess } from '../process/service-process.ts'
import { type FetchedHost, folderOf } from './fetched-host.ts'
import type { StartOnHost } from './start-on-host.ts'

export interface Runtime {
  readonly host: FetchedHost
  /** Its program, below the folder of the host: a pattern, for the package has the name of the platform. */
  readonly path: string
  readonly args: readonly string[]
}

/** The program of a runtime that has been fetched. */
export function programOf({ host, path }: Runtime): string {
  const [program] = globSync(join(folderOf(host), path))
  assert.ok(program, `${host} is not in ${folderOf(host)}`)
  return program
}

/** What the other process can import: modules, by the definition that they export. */
const modules = new Map<Service<unknown>, readonly [path: string, name: string]>([
  [api, ['reference/service.ts', 'api']],
  [shelf, ['test/support/domain/shelf.ts', 'shelf']],
  [assignments, ['test/support/domain/assignments.ts', 'assignments']],
])

/** Options must be ones that JSON can carry; of random numbers, one. */
export const openElsewhere =
  (runtime: Runtime): StartOnHost =>
  async (definition, options) => {
    const module = modules.get(definition)
    assert(module !== undefined, 'another process cannot import this definition')
    assert.equal(options.issuers?.length ?? 0, 0, 'issuers')
    // Opened first: it makes the tables.
    const { handler, inner } = await openHandler(definition, { ...options, workers: false })
    const child = startProcess([...runtime.args, join(import.meta.dirname, 'other-runtime.ts'), runtime.host], {
      program: programOf(runtime),
      folder: repository,
      environment: {
        DUET_TEST: JSON.stringify({ configuration: options.configuration, module, random: options.random?.() }),
      },
    })
    const url = await child.listening()
    return {
      ...inner,
      url,
      metricsUrl: null,
      async stop() {
        await child.end('SIGTERM')
        await handler.close()
      },
    }
  }
