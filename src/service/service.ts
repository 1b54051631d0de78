// Puts the parts together: from a definition and a configuration to a service that listens.

import type { Usage } from '../deprecation/usage.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Service } from '../resource/language/service.ts'
import type { Model } from '../resource/model/model.ts'
import type { Store } from '../store/store.ts'
import { startMaintenance } from './maintenance.ts'
import { openAdmission } from './open-admission.ts'
import { openServiceAuthentication } from './open-authentication.ts'
import { createOpenContext } from './open-context.ts'
import { openDatabase } from './open-database.ts'
import { openDemo } from './open-demo.ts'
import { openEvents } from './open-events.ts'
import { openExplorer } from './open-explorer.ts'
import { openFaces } from './open-faces.ts'
import { openObservation } from './open-observation.ts'
import { startReactions } from './open-reactions.ts'
import { openRunner } from './open-runner.ts'
import { openServer } from './open-server.ts'
import type { StartServiceOptions } from './options.ts'
import { Shutdown } from './shutdown.ts'

export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly model: Model
  readonly store: Store
  /** True where this start filled an empty database. */
  readonly isSeeded: boolean
  /** The paths of the pages for developers that a browser can open. */
  pages(): Promise<readonly string[]>
  /** Where metrics are collected; null where they are not. */
  readonly metricsUrl: string | null
  /** Null where there are none. */
  readonly reactions: Reactions | null
  /** Counts of who uses what is deprecated. */
  readonly usage: Usage
  /** Resolves once the events of earlier writes were read and handed on. */
  settled(): Promise<void>
  /** Is not ready any more; then, after `drainSeconds`, stops accepting, finishes what runs, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts a service. Fails with ServiceDefinitionError where the definition contradicts itself, and with ConfigurationError,
 * whose sentence names the variable, where it cannot run as configured.
 */
export async function startService(
  definition: Service<unknown>,
  options: StartServiceOptions,
): Promise<RunningService> {
  const shutdown = new Shutdown(options.configuration.limits, options.log)
  try {
    return await openService(definition, options, shutdown)
  } catch (error) {
    // What was opened would keep the process alive. The caller gets the reason of the start's failure, not of the shutdown's.
    await shutdown.close().catch(() => undefined)
    throw error
  }
}

/** Opens one part after the other: each needs those above it, and the shutdown closes them in reverse. */
async function openService(
  definition: Service<unknown>,
  options: StartServiceOptions,
  shutdown: Shutdown,
): Promise<RunningService> {
  const context = createOpenContext(definition, options, shutdown)
  const observation = await openObservation(context)
  const database = await openDatabase(context, observation)
  const authentication = await openServiceAuthentication(context, database)
  const events = await openEvents(context, database, observation)
  const runner = await openRunner(context, database, authentication, events)
  const demo = await openDemo(context, database, authentication)
  const admission = await openAdmission(context)
  const parts = { observation, database, authentication, events, runner, demo, admission }
  const faces = await openFaces(context, parts)
  const explorer = openExplorer(context, database)
  const reactions = await startReactions(context, runner, events)
  const { server, url, metricsUrl } = await openServer(context, { ...parts, faces, explorer, reactions })
  shutdown.defer(startMaintenance(context, { ...parts, usage: faces.usage, reactions }))
  const { model, drain } = context
  return {
    url,
    model,
    store: database.store,
    isSeeded: demo.isSeeded,
    reactions,
    usage: faces.usage,
    settled: events.settled,
    metricsUrl,
    pages: async () => (await explorer?.available()) ?? [],
    async stop() {
      if (!drain.isBegun) server.drain()
      await drain.begin()
      await shutdown.close()
    },
  }
}
