// Assembles a listening service from a definition and a configuration.

import type { Service } from '../resource/language/service.ts'
import { startMaintenance } from './maintenance.ts'
import { openService } from './open/open-context.ts'
import { type InnerService, innerService, openParts } from './open/open-parts.ts'
import { openServer } from './open-server.ts'
import type { StartServiceOptions } from './start/options.ts'

export interface RunningService extends InnerService {
  readonly url: string
  readonly metricsUrl: string | null
  /** Becomes not ready; after `drainSeconds` stops accepting, finishes requests, closes everything. */
  stop(): Promise<void>
}

/**
 * Fails with ServiceDefinitionError for contradictions, and with ConfigurationError, which names the variable, if it cannot run as
 * configured.
 */
export const startService = (definition: Service<unknown>, options: StartServiceOptions): Promise<RunningService> =>
  openService(definition, options, async (context) => {
    const parts = await openParts(context)
    const { server, url, metricsUrl } = await openServer(context, parts)
    const { drain, shutdown } = context
    shutdown.defer(startMaintenance(context, parts))
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
  })
