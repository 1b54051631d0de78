// Puts the parts together: from a definition and a configuration to a service that listens.

import type { Service } from '../resource/language/service.ts'
import { startMaintenance } from './maintenance.ts'
import { createOpenContext } from './open-context.ts'
import { type InnerService, innerService, openParts } from './open-parts.ts'
import { openServer } from './open-server.ts'
import type { StartServiceOptions } from './options.ts'
import { closingOnFailure, type Shutdown } from './shutdown.ts'

export interface RunningService extends InnerService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Where metrics are collected; null where they are not. */
  readonly metricsUrl: string | null
  /** Is not ready any more; then, after `drainSeconds`, stops accepting, finishes what runs, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a service. Fails with ServiceDefinitionError where the definition contradicts itself, and with ConfigurationError,
 * whose sentence names the variable, where it cannot run as configured.
 */
export const startService = (definition: Service<unknown>, options: StartServiceOptions): Promise<RunningService> =>
  closingOnFailure(options, (shutdown) => openService(definition, options, shutdown))

async function openService(
  definition: Service<unknown>,
  options: StartServiceOptions,
  shutdown: Shutdown,
): Promise<RunningService> {
  const context = createOpenContext(definition, options, shutdown)
  const parts = await openParts(context)
  const { server, url, metricsUrl } = await openServer(context, parts)
  shutdown.defer(startMaintenance(context, parts))
  const { drain } = context
  return {
    ...innerService(context, parts),
    url,
    metricsUrl,
    async stop() {
      if (!drain.isBegun) server.drain()
      await drain.begin()
      await shutdown.close()
    },
  }
}
