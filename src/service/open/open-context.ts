// What every opener needs: configuration, compiled definition, and the shutdown.

import { type FindReturnUrl, parseReturnUrls } from '../../authentication/flow/return-urls.ts'
import { requireSoundIssuers } from '../../authentication/issuer/contradictions.ts'
import { SharedRoom } from '../../budget/answer-room.ts'
import { type AllowedOrigins, parseAllowedOrigins } from '../../http/cors.ts'
import { requireBasePath } from '../../http/host/base-path.ts'
import { parseTrustProxy, type TrustProxy } from '../../http/server/address.ts'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'
import type { Service } from '../../resource/language/service.ts'
import { type Configuration, configured } from '../configuration/configuration.ts'
import { requireDataKey } from '../configuration/data-key-source.ts'
import { createDrain, type Drain, Shutdown } from '../pipeline/shutdown.ts'
import { allSound } from '../start/all-sound.ts'
import type { StartServiceOptions } from '../start/options.ts'
import { readDefinition, type ServiceParts } from '../start/read-definition.ts'
import { openFilesMax, tooFewFiles } from './open-files.ts'

export interface OpenContext extends ServiceParts {
  readonly options: StartServiceOptions
  readonly configuration: Configuration
  readonly limits: Limits
  readonly log: Log
  readonly clock: () => Date
  readonly baseUrl: string
  /** The host path of the service; empty for the root. */
  readonly basePath: string
  /** Whether this process runs reactions, the event feed and sweeping. */
  readonly workers: boolean
  readonly allowedOrigins: AllowedOrigins
  readonly findReturnUrl: FindReturnUrl
  readonly trustProxy: TrustProxy
  /** For the large answers of all connections. (contract 8.4.7) */
  readonly answers: SharedRoom
  readonly drain: Drain
  readonly shutdown: Shutdown
}

/**
 * Closes what was opened if `open` fails, as it would keep the process alive. Fails with ServiceDefinitionError if the definition,
 * routes or reactions contradict themselves, and with ConfigurationError.
 */
export async function openService<T>(
  definition: Service<unknown>,
  options: StartServiceOptions,
  open: (context: OpenContext) => Promise<T>,
): Promise<T> {
  const shutdown = new Shutdown(options.configuration.limits, options.log)
  try {
    return await open(createOpenContext(definition, options, shutdown))
  } catch (error) {
    // Reports the failure of the start, not of the shutdown.
    await shutdown.close().catch(() => undefined)
    throw error
  }
}

/** Opens nothing yet. */
function createOpenContext(
  definition: Service<unknown>,
  options: StartServiceOptions,
  shutdown: Shutdown,
): OpenContext {
  const { configuration, log, clock, basePath = '', workers = true } = options
  const { limits, host, port } = configuration
  const [parts] = allSound(
    () => readDefinition(definition, limits),
    () => requireSoundIssuers(options.issuers ?? []),
  )
  const baseUrl = configuration.baseUrl ?? `http://${host}:${port}`
  const allowedOrigins = configured(() => parseAllowedOrigins(configuration.allowedOrigins ?? undefined, baseUrl))
  const findReturnUrl = configured(() => parseReturnUrls(configuration.returnUrls, baseUrl))
  const trustProxy = configured(() => parseTrustProxy(configuration.trustProxy ?? undefined))
  requireDataKey(parts, configuration)
  const filesWarning = tooFewFiles(openFilesMax(), limits)
  if (filesWarning !== null) log.warn(filesWarning)
  for (const warning of configuration.warnings) log.warn(warning)
  if (!isBelow(configuration.baseUrl, basePath))
    log.warn(
      `BASE_URL should end in ${basePath}: it is where clients find the service, and \`duet admin\` prints addresses below it.`,
    )
  return {
    ...parts,
    options,
    configuration,
    limits,
    log,
    clock,
    baseUrl,
    basePath: configured(() => requireBasePath(basePath)),
    workers,
    allowedOrigins,
    findReturnUrl,
    trustProxy,
    answers: new SharedRoom(limits.answersBytes),
    drain: createDrain(configuration.drainSeconds, limits),
    shutdown,
  }
}

const isBelow = (baseUrl: string | null, basePath: string): boolean =>
  baseUrl === null || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(basePath)
