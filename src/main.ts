// Runs a service as a process. Only this file and the command use `process`.

import cluster from 'node:cluster'
import { UnusableKey } from './authentication/key/signing-key.ts'
import { MissingPackage } from './dependency/optional-package.ts'
import type { Handler } from './http/host/handler.ts'
import { createLog } from './observation/log.ts'
import { LogDestination } from './observation/log-destination.ts'
import { ServiceDefinitionError } from './resource/contradiction/contradiction.ts'
import type { Service } from './resource/language/service.ts'
import { type Configuration, ConfigurationError, readConfiguration } from './service/configuration/configuration.ts'
import { logOptions } from './service/configuration/log-options.ts'
import { startFields } from './service/configuration/start-line.ts'
import { openHandler } from './service/open-handler.ts'
import { runInstances } from './service/run-instances.ts'
import { startService } from './service/service.ts'
import type { InProcess } from './service/start/in-process.ts'
import type { ServiceOptions, StartServiceOptions } from './service/start/options.ts'
import type { Seed } from './service/start/seed.ts'
import { keepObjectsYoung } from './service/start/young-objects.ts'
import { stopOnSignal } from './service/stop-on-signal.ts'
import { welcome } from './service/welcome.ts'
import { UnfitDatabase } from './store/migration/work.ts'
import { systemClock } from './store/sql/text/shared-time.ts'

/** What `main` takes besides the service. */
export interface MainOptions extends ServiceOptions {
  /** Fills an empty database if `DEMO_DATA` is on. Accounts get the hash of `DEMO_PASSWORD`, by default `demoPassword`. */
  readonly demo?: (seed: Seed, passwordHash: string) => void
}
/** For a service inside another program, such as a test. */
export interface StartOptions extends MainOptions {
  /** Used instead of the process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The time of the service; by default the real time. */
  readonly clock?: () => Date
}
/** For a service mounted in another server. */
export interface HandlerOptions<Host = unknown> extends StartOptions {
  /** The host path, such as `/backend`; by default the root. */
  readonly basePath?: string
  /**
   * The client's address of a request to `fetch`, whose second argument is `host`. If `TRUST_PROXY` contains it,
   * `X-Forwarded-For` is used. Null if unknown: such requests share one rate limit.
   */
  readonly clientAddress?: (request: Request, host: Host) => string | null
  /** False: other processes run reactions, events and sweeping, and subscriptions are not served. */
  readonly workers?: boolean
}
/** A service mounted in another server. */
export interface MountedService<Host = unknown> extends Handler<Host>, InProcess {}
/** A running service. */
export interface StartedService extends InProcess {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Stops accepting, finishes requests, closes everything. */
  stop(): Promise<void>
}

/** Starts the service with the process's environment, and stops it on SIGTERM or SIGINT. (contract 0.1, 0.3) */
export async function main(definition: Service<unknown>, { demo, ...options }: MainOptions = {}): Promise<void> {
  try {
    const configuration = readConfiguration(process.env)
    keepObjectsYoung()
    const { write, settled } = openStdout(configuration)
    const log = createLog({ ...logOptions(configuration, false), write })
    const isWorker = configuration.instances > 1 && cluster.isWorker
    const settings = { configuration, log, clock: systemClock, isWorker, ...options, ...demoOf(demo, configuration) }
    if (configuration.instances > 1 && cluster.isPrimary) {
      const { stop, ended } = await runInstances(definition, settings, cluster)
      process.on('SIGTERM', stop).on('SIGINT', stop)
      const code = await ended
      await settled()
      process.exit(code)
    }
    const service = await startService(definition, settings)
    stopOnSignal(service, log, configuration.limits, settled)
    log.info('Listening.', startFields(service.url, configuration))
    if (!configuration.production)
      process.stdout.write(
        await welcome(service, demo !== undefined && configuration.demoData ? configuration.demoPassword : null),
      )
  } catch (error) {
    // Expected errors print their message only; others print the stack.
    const isForeseen = [ConfigurationError, ServiceDefinitionError, MissingPackage, UnusableKey, UnfitDatabase].some(
      (kind) => error instanceof kind,
    )
    process.stderr.write(
      `${isForeseen || !(error instanceof Error) ? String((error as Error).message) : (error.stack ?? error.message)}\n`,
    )
    process.exit(1)
  }
}

/**
 * Starts the service inside this process, without signals: `{ PORT: '0', DATABASE_URL: 'sqlite::memory:' }` suits a test.
 * Warnings and bugs go to stderr. Rejects with a message if it cannot start.
 */
export async function start(definition: Service<unknown>, options: StartOptions = {}): Promise<StartedService> {
  const { url, stop, asService, as } = await startService(definition, embeddedOptions(options))
  return { url, stop, asService, as }
}

/**
 * Opens the service for another server: Express, Fastify, Hono, Next, Bun, Deno, or a test. Configured by `environment`.
 * Rejects with a message if it cannot start. (contract 16.1)
 */
export async function createHandler<Host = unknown>(
  definition: Service<unknown>,
  { clientAddress, ...options }: HandlerOptions<Host> = {},
): Promise<MountedService<Host>> {
  const address = clientAddress as HandlerOptions['clientAddress']
  const { handler, inner } = await openHandler(definition, { ...embeddedOptions(options), clientAddress: address })
  return Object.assign(handler, { asService: inner.asService, as: inner.as })
}

/** Other output belongs to the program. */
function embeddedOptions({
  environment = {},
  clock = systemClock,
  demo,
  ...others
}: StartOptions): StartServiceOptions {
  const configuration = readConfiguration(environment)
  if (configuration.instances > 1)
    throw new ConfigurationError(
      'INSTANCES is for a service that main runs: here another program decides how many there are.',
    )
  const log = createLog({ ...logOptions(configuration, true), write: (line) => process.stderr.write(line) })
  return { configuration, log, clock, ...others, ...demoOf(demo, configuration) }
}

/** In production log writes never wait; at a terminal each line is written at once. */
function openStdout({ production, limits }: Configuration): Pick<LogDestination, 'write' | 'settled'> {
  if (!production) return { write: (line) => process.stdout.write(line), settled: async () => {} }
  const destination = new LogDestination(process.stdout.fd, limits)
  // Before pino's own exit handler, which would wait for its reader forever.
  process.prependOnceListener('exit', () => destination.close())
  return {
    write: (line, isUrgent) => destination.write(line, isUrgent),
    settled: () => destination.settled(),
  }
}

const demoOf = (fill: MainOptions['demo'], { demoPassword: password }: Configuration) =>
  fill === undefined ? {} : { demo: { password, fill } }
