// Runs a service as a process: environment in, signals, and what a person who starts it wants to read.
// Only this file and the command touch `process`.

import { UnusableKey } from './authentication/key/signing-key.ts'
import { MissingPackage } from './dependency/optional-package.ts'
import type { Handler } from './http/host/handler.ts'
import { createLog, type LogOptions } from './observation/log.ts'
import { openLogDestination } from './observation/log-destination.ts'
import { ServiceDefinitionError } from './resource/contradiction/contradiction.ts'
import type { Service } from './resource/language/service.ts'
import { type Configuration, ConfigurationError, readConfiguration } from './service/configuration.ts'
import { logOptions } from './service/log-options.ts'
import { openHandler } from './service/open-handler.ts'
import type { ServiceOptions, StartServiceOptions } from './service/options.ts'
import type { Seed } from './service/seed.ts'
import { startService } from './service/service.ts'
import { startFields } from './service/start-line.ts'
import { stopOnSignal } from './service/stop-on-signal.ts'
import { welcome } from './service/welcome.ts'
import { UnfitDatabase } from './store/migration/work.ts'

/** What a service is started with, beside its definition and the environment. */
export interface MainOptions extends ServiceOptions {
  /** Fills a new, empty database while `DEMO_DATA` is on. Accounts get `DEMO_PASSWORD`, given hashed; `demoPassword` unless said. */
  readonly demo?: (seed: Seed, passwordHash: string) => void
}
/** For a service that runs inside another program, such as a test. */
export interface StartOptions extends MainOptions {
  /** What configures it, as the environment of a process would. Nothing else is read. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** What the service takes for now; the real time unless said. */
  readonly clock?: () => Date
}
/** For a service that another server hands requests to: where it is mounted, and what only that server knows. */
export interface HandlerOptions<Host = unknown> extends StartOptions {
  /** The path of the host below which everything is served, such as `/backend`; its root unless said. */
  readonly basePath?: string
  /**
   * Tells the address that a request to `fetch` came from; `host` is what was passed to `fetch` beside it. Where `TRUST_PROXY`
   * names it, `X-Forwarded-For` is believed. Null where nobody can tell: all such requests share one rate limit.
   */
  readonly clientAddress?: (request: Request, host: Host) => string | null
  /** False where reactions, events and sweeping are left to other processes, and no subscription is served. */
  readonly workers?: boolean
}
/** A service that runs in this process. */
export interface StartedService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Stops accepting, finishes what runs, closes everything. */
  stop(): Promise<void>
}

/** Starts the service as the environment configures it, and stops it on SIGTERM or SIGINT. (contract 0.1, 0.3) */
export async function main(definition: Service<unknown>, { demo, ...options }: MainOptions = {}): Promise<void> {
  try {
    const configuration = readConfiguration(process.env)
    const log = createLog({ ...logOptions(configuration, false), write: stdoutFor(configuration) })
    const service = await startService(definition, {
      configuration,
      log,
      clock: () => new Date(),
      ...options,
      ...demoOf(demo, configuration),
    })
    stopOnSignal(service, log, configuration.limits)
    log.info('Listening.', startFields(service.url, configuration))
    if (!configuration.production)
      process.stdout.write(
        await welcome(service, demo !== undefined && configuration.demoData ? configuration.demoPassword : null),
      )
  } catch (error) {
    // Whoever starts a service wants the sentence; only what nobody foresaw needs its stack.
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
 * Starts the service inside this process and leaves signals alone: `{ PORT: '0', DATABASE_URL: 'sqlite::memory:' }` is
 * one for a test. Warnings and bugs go to stderr. Rejects with a sentence where it cannot start.
 */
export async function start(definition: Service<unknown>, options: StartOptions = {}): Promise<StartedService> {
  const { url, stop } = await startService(definition, embeddedOptions(options))
  return { url, stop }
}

/**
 * Opens the service for a host that has the server: Express, Fastify, Hono, Next, Bun, Deno, or a test without a port. What
 * configures it is `environment`, such as `process.env`. Rejects with a sentence where it cannot start. (contract 16.1)
 */
export async function createHandler<Host = unknown>(
  definition: Service<unknown>,
  { clientAddress, ...options }: HandlerOptions<Host> = {},
): Promise<Handler<Host>> {
  const address = clientAddress as HandlerOptions['clientAddress']
  const { handler } = await openHandler(definition, { ...embeddedOptions(options), clientAddress: address })
  return handler
}

/** Warnings and bugs go to stderr; what happens otherwise is the program's own to say. */
function embeddedOptions({
  environment = {},
  clock = () => new Date(),
  demo,
  ...others
}: StartOptions): StartServiceOptions {
  const configuration = readConfiguration(environment)
  const log = createLog({ ...logOptions(configuration, true), write: (line) => process.stderr.write(line) })
  return { configuration, log, clock, ...others, ...demoOf(demo, configuration) }
}

/** In production nothing waits for whoever reads the log; a person at a terminal reads each line at once. */
function stdoutFor({ production, limits }: Configuration): LogOptions['write'] {
  if (!production) return (line) => process.stdout.write(line)
  const destination = openLogDestination(process.stdout.fd, limits)
  // Before what pino does at the exit, which waits for its reader for ever.
  process.prependOnceListener('exit', () => destination.close())
  return (line, isUrgent) => destination.write(line, isUrgent)
}

const demoOf = (fill: MainOptions['demo'], { demoPassword: password }: Configuration) =>
  fill === undefined ? {} : { demo: { password, fill } }
