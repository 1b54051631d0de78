// Opens the server: puts the pipeline before the faces, listens, and tells metrics where they are collected.

import type { Authentication } from '../authentication/authentication.ts'
import type { Explorer } from '../explorer/explorer.ts'
import { HttpServer } from '../http/server/server.ts'
import type { Reactions } from '../reaction/reactions.ts'
import { ConfigurationError } from './configuration.ts'
import { createHealth } from './health.ts'
import type { Admission } from './open-admission.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { EventStream } from './open-events.ts'
import type { Faces } from './open-faces.ts'
import type { Observation } from './open-observation.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import { tracePipeline } from './traced-pipeline.ts'

export interface ServerDependencies {
  readonly observation: Observation
  readonly database: Database
  readonly authentication: Authentication
  readonly events: EventStream
  readonly admission: Admission
  readonly faces: Faces
  readonly explorer: Explorer | null
  readonly reactions: Reactions | null
}
export interface OpenServer {
  readonly server: HttpServer
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Where metrics are collected; null where they are not. */
  readonly metricsUrl: string | null
}

/** Fails with ConfigurationError where an address cannot be listened on. */
export async function openServer(context: OpenContext, dependencies: ServerDependencies): Promise<OpenServer> {
  const { configuration, limits, answers, trustProxy, clock, log, drain, shutdown } = context
  const { observation, database, authentication, events, admission, faces, reactions } = dependencies
  const { host } = configuration
  const pipeline = openPipeline(context, dependencies)
  const server = new HttpServer({
    ...(observation.traces === null ? pipeline : tracePipeline(pipeline, observation.traces)),
    limits,
    answers,
    now: clock,
    watch: observation.watch,
    trustProxy,
    log: {
      warn: (fields, message) => log.warn(message, { ...fields }),
      error: (fields, message, secrets) => log.error(message, { ...fields }, secrets),
    },
  })
  const sources = { ...database, ...events, ...admission, sockets: faces.sockets, authentication, reactions, server }
  const metricsServer = await observation.metrics?.serve(sources, configuration)
  shutdown.defer(() => metricsServer?.close())
  shutdown.beforeClose(() => server.close(drain.idleMs))
  const { port } = await server.listen(configuration.port, host).catch((error: Error) => {
    const address = `HOST and PORT name ${host}:${configuration.port}`
    throw new ConfigurationError(`${address}, where the service cannot listen: ${error.message}.`)
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { server, url, metricsUrl: metricsServer?.url ?? null }
}

function openPipeline(
  { allowedOrigins, limits, clock, drain }: OpenContext,
  { authentication, admission, faces, explorer, database }: ServerDependencies,
): Pipeline {
  const health = createHealth({
    needed: { database: () => database.store.ping() },
    useful: admission.checks,
    isDraining: () => drain.isBegun,
    limits,
  })
  return createPipeline({ ...admission, ...faces, authentication, health, explorer, allowedOrigins, limits, clock })
}
