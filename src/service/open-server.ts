// Puts the pipeline before the faces, listens, and serves metrics.

import { HttpServer } from '../http/server/server.ts'
import { ConfigurationError } from './configuration/configuration.ts'
import type { OpenContext } from './open/open-context.ts'
import type { Parts } from './open/open-parts.ts'
import { connectionsOptions } from './open/open-pipeline.ts'

export interface OpenServer {
  readonly server: HttpServer
  readonly url: string
  readonly metricsUrl: string | null
}

/** Fails with ConfigurationError if an address cannot be listened on. */
export async function openServer(context: OpenContext, parts: Parts): Promise<OpenServer> {
  const { configuration, drain, shutdown } = context
  const { host } = configuration
  const server = new HttpServer(connectionsOptions(context, parts))
  const metricsUrl = await openMetrics(context, parts, server)
  shutdown.beforeClose(() => server.close(drain.idleMs))
  const { port } = await server.listen(configuration.port, host).catch((error: Error) => {
    const address = `HOST and PORT name ${host}:${configuration.port}`
    throw new ConfigurationError(`${address}, where the service cannot listen: ${error.message}.`)
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { server, url, metricsUrl }
}

/** Serves `GET /metrics` and returns its address; null without metrics. */
export async function openMetrics(
  { configuration, options, shutdown }: OpenContext,
  { observation, database, authentication, events, admission, reactions, clock, webhooks }: Parts,
  server: { readonly connections: number },
): Promise<string | null> {
  const sources = { ...database, ...events, ...admission, authentication, reactions, clock, webhooks, server }
  if (options.isWorker === true) observation.metrics?.handOver(sources, configuration)
  const metricsServer = options.isWorker === true ? null : await observation.metrics?.serve(sources, configuration)
  shutdown.defer(() => metricsServer?.close())
  return metricsServer?.url ?? null
}
