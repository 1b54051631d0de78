// Derives the options of the log from the configuration.

import type { LogOptions } from '../../observation/log.ts'
import { passwordsIn } from '../../observation/secrets.ts'
import { hostUrls } from '../../store/host-urls.ts'
import type { Configuration } from './configuration.ts'

/** Inside another program, logs warnings and bugs only, and requests only if LOG_REQUESTS is set. */
export function logOptions(configuration: Configuration, isInside: boolean): Omit<LogOptions, 'write'> {
  const { production, demoPassword, logLevel, logRequests, limits } = configuration
  const { jwtSecret, databaseUrl, listenUrl, redisUrl, smtpUrl } = configuration
  const of = logRequests === false ? 'failing' : 'all'
  return {
    json: production && !isInside,
    level: logLevel ?? (isInside ? 'warn' : 'info'),
    ...(isInside && logRequests === null ? {} : { requests: { of, slowMs: limits.slowRequestMs } }),
    secrets: [
      demoPassword,
      ...(jwtSecret === null ? [] : [jwtSecret]),
      ...(configuration.dataKeys ?? []).flatMap(spellingsOf),
      ...passwordsIn(...[databaseUrl, listenUrl ?? ''].flatMap(hostUrls), redisUrl, smtpUrl),
    ],
  }
}

const spellingsOf = (key: Buffer): readonly string[] =>
  (['base64', 'base64url', 'hex'] as const).map((form) => key.toString(form))
