// What every opener needs: the configuration as read, the compiled definition, and what closes the service again.

import { SharedRoom } from '../budget/answer-room.ts'
import { type AllowedOrigins, parseAllowedOrigins } from '../http/cors.ts'
import { requireBasePath } from '../http/host/base-path.ts'
import { parseTrustProxy, type TrustProxy } from '../http/server/address.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { type ReactionDefinition, readReactions } from '../reaction/definition.ts'
import type { Service } from '../resource/language/service.ts'
import type { Model } from '../resource/model/model.ts'
import { requireSoundRoutes } from './check-routes.ts'
import { compileService } from './compile-service.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { createDrain, type Drain } from './drain.ts'
import { openFilesMax, tooFewFiles } from './open-files.ts'
import type { StartServiceOptions } from './options.ts'
import type { Shutdown } from './shutdown.ts'

export interface OpenContext {
  readonly options: StartServiceOptions
  readonly configuration: Configuration
  readonly limits: Limits
  readonly log: Log
  readonly clock: () => Date
  readonly model: Model
  readonly reactionDefinitions: ReadonlyMap<string, ReactionDefinition>
  readonly baseUrl: string
  /** The path of a host below which everything is served; empty where that is its root. */
  readonly basePath: string
  /** Whether this process runs what happens without a request: reactions, the feed of events, and sweeping. */
  readonly workers: boolean
  readonly allowedOrigins: AllowedOrigins
  readonly trustProxy: TrustProxy
  /** For the large answers of everybody. (contract 8.4.7) */
  readonly answers: SharedRoom
  readonly drain: Drain
  readonly shutdown: Shutdown
}

/**
 * Opens nothing yet. Fails with ServiceDefinitionError where the definition, its routes or its reactions contradict
 * themselves, and with ConfigurationError.
 */
export function createOpenContext(
  definition: Service<unknown>,
  options: StartServiceOptions,
  shutdown: Shutdown,
): OpenContext {
  const { configuration, log, clock, routes = [], reactions = [], basePath = '', workers = true } = options
  const { limits, host, port } = configuration
  const model = compileService(definition)
  requireSoundRoutes(routes, model, limits)
  const reactionDefinitions = readReactions(reactions, model, limits)
  const baseUrl = configuration.baseUrl ?? `http://${host}:${port}`
  const allowedOrigins = configured(() => parseAllowedOrigins(configuration.allowedOrigins ?? undefined, baseUrl))
  const trustProxy = configured(() => parseTrustProxy(configuration.trustProxy ?? undefined))
  const filesWarning = tooFewFiles(openFilesMax(), limits)
  if (filesWarning !== null) log.warn(filesWarning)
  for (const warning of configuration.warnings) log.warn(warning)
  if (!isBelow(configuration.baseUrl, basePath))
    log.warn(
      `BASE_URL should end in ${basePath}: it is where clients find the service, and \`duet admin\` prints addresses below it.`,
    )
  return {
    options,
    configuration,
    limits,
    log,
    clock,
    model,
    reactionDefinitions,
    baseUrl,
    basePath: configured(() => requireBasePath(basePath)),
    workers,
    allowedOrigins,
    trustProxy,
    answers: new SharedRoom(limits.answersBytes),
    drain: createDrain(configuration.drainSeconds, limits),
    shutdown,
  }
}

/** Whether the address, where one is configured, leads to where the service is mounted in its host. */
const isBelow = (baseUrl: string | null, basePath: string): boolean =>
  baseUrl === null || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(basePath)

/** A variable's reader says in one sentence what is wrong with it; an operator needs no stack beside that. */
function configured<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigurationError((error as Error).message)
  }
}
