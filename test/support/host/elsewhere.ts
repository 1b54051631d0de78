// A host in a process of its own, on another runtime: the service runs there, and this process looks into its database.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { api } from '../../../reference/service.ts'
import { openHandler } from '../../../src/service/open-handler.ts'
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

/** Only the reference service can be opened elsewhere, and only with options that JSON can carry. */
export const openElsewhere =
  (runtime: Runtime): StartOnHost =>
  async (definition, options) => {
    assert.equal(definition, api, 'another process serves the reference service only')
    assert.equal(options.issuers?.length ?? 0, 0, 'issuers')
    // Opened first: it makes the tables.
    const { handler, inner } = await openHandler(definition, { ...options, workers: false })
    const child = startProcess([...runtime.args, join(import.meta.dirname, 'other-runtime.ts'), runtime.host], {
      program: programOf(runtime),
      folder: repository,
      environment: { DUET_TEST: JSON.stringify({ configuration: options.configuration }) },
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
