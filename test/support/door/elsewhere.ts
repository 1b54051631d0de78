// A host in a process of its own, on another runtime: the service runs there, and this process looks into its database.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { api } from '../../../reference/service.ts'
import { openHandler } from '../../../src/service/open-handler.ts'
import { repository } from '../process/command.ts'
import { startProcess } from '../process/service-process.ts'
import type { OpenDoor } from './open-door.ts'

export interface Runtime {
  /** Its program, as `npm ci` in the example's folder installs it, or as this variable names it. */
  readonly variable: string
  readonly path: string
  readonly args: readonly string[]
}

/** Where a runtime's program is; null where it is not installed. */
export function programOf({ variable, path }: Runtime): string | null {
  const program = process.env[variable] ?? join(repository, 'examples/embedding', path)
  return existsSync(program) ? program : null
}

/** Only the reference service can be opened elsewhere, and only with options that JSON can carry. */
export const openElsewhere =
  (runtime: Runtime, app: string): OpenDoor =>
  async (definition, options) => {
    assert.equal(definition, api, 'another process serves the reference service only')
    for (const name of ['routes', 'reactions', 'issuers'] as const) assert.equal(options[name]?.length ?? 0, 0, name)
    // Opened first: it makes the tables.
    const { handler, inner } = await openHandler(definition, { ...options, workers: false })
    const child = startProcess([...runtime.args, join(import.meta.dirname, 'other-runtime.ts'), app], {
      program: programOf(runtime)!,
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
