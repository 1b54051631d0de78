// Several processes on one port: the primary migrates, forks, replaces what has died, and adds up metrics. (contract 0.1.14)

import type { Cluster } from 'node:cluster'
import { openMetricsServer } from '../http/server/metrics-server.ts'
import { createInstanceMetrics } from '../observation/metrics/instance-metrics.ts'
import { loadPrometheus } from '../observation/metrics/prometheus.ts'
import type { Service } from '../resource/language/service.ts'
import { openService } from './open/open-context.ts'
import { openDatabase } from './open/open-database.ts'
import type { StartServiceOptions } from './start/options.ts'

export interface Instances {
  /** Passes SIGTERM on. */
  stop(): void
  /** The exit code, once all have ended. */
  readonly ended: Promise<number>
}

const deathsMax = 5
const deathsMs = 60_000
const backoffMs = 100

/** Fails as a start does. */
export async function runInstances(
  definition: Service<unknown>,
  options: StartServiceOptions,
  cluster: Cluster,
): Promise<Instances> {
  const { configuration, log } = options
  const { instances, limits, redisUrl } = configuration
  await openService(definition, options, async (context) => {
    await openDatabase(context, { metrics: null, traces: null, watch: undefined })
    await context.shutdown.close()
  })
  await serveMetrics(options, cluster)
  if (redisUrl === null) log.warn('Each of the instances counts rate limits for itself: set REDIS_URL.')
  log.info('Runs several instances.', { instances, connections: instances * (limits.poolSize + 1) })
  return superviseInstances(cluster, instances, log)
}

function superviseInstances(cluster: Cluster, count: number, log: StartServiceOptions['log']): Instances {
  const { promise, resolve } = Promise.withResolvers<number>()
  let exitCode: number | null = null
  let deaths: readonly number[] = []
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  function stop(code: number): void {
    exitCode ??= code
    for (const worker of workers()) worker.process.kill('SIGTERM')
    if (workers().length === 0) resolve(exitCode)
  }
  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (exitCode !== null) {
      if (code !== 0) exitCode = 1
      if (workers().length === 0) resolve(exitCode)
      return
    }
    const now = performance.now()
    deaths = [...deaths.filter((at) => at > now - deathsMs), now]
    log.error('An instance has ended by itself.', { pid, code, signal })
    if (deaths.length >= deathsMax) return stop(1)
    setTimeout(() => exitCode === null && cluster.fork(), backoffMs * 2 ** deaths.length)
  })
  for (let each = 0; each < count; each++) cluster.fork()
  return { stop: () => stop(0), ended: promise }
}

async function serveMetrics({ configuration, log }: StartServiceOptions, cluster: Cluster): Promise<void> {
  const { metricsPort: port, metricsHost: host, limits } = configuration
  if (port === null) return
  const prometheus = await loadPrometheus()
  const expose = createInstanceMetrics(cluster, prometheus, { limits, log })
  await openMetricsServer({ port, host, expose, mediaType: prometheus.Registry.PROMETHEUS_CONTENT_TYPE, limits })
}
