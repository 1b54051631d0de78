// Reads the configuration from environment variables. Pure: who calls it decides which variables. (contract 0.1)

import { defaultLimits, type Limits } from '../limits.ts'
import { demoPassword } from './demo-password.ts'
import { type Environment, nearMisses, unknownLimit } from './unknown-variables.ts'

export interface Configuration {
  readonly production: boolean
  readonly host: string
  readonly port: number
  readonly databaseUrl: string
  readonly redisUrl: string | null
  /** Issuer of tokens and base of links; null: `http://HOST:PORT` once the port is known. */
  readonly baseUrl: string | null
  readonly audience: string | null
  readonly jwtAlgorithm: 'ES256' | 'RS256' | 'HS256'
  readonly jwtSecret: string | null
  /** As written; the server reads it. */
  readonly trustProxy: string | null
  /** As written; the server reads it. */
  readonly allowedOrigins: string | null
  /** A file with the only GraphQL documents that are run; null: any are. */
  readonly trustedDocuments: string | null
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly demoData: boolean
  /** What the demo accounts sign in with. */
  readonly demoPassword: string
  /** Where metrics are collected; null where nobody does, so that nothing is measured. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** Null where it is not said: then it depends on how the service is started. */
  readonly logLevel: 'info' | 'warn' | 'error' | 'off' | null
  /** Whether every request has its line in the log; null as above. */
  readonly logRequests: boolean | null
  readonly smtpUrl: string | null
  readonly passwordResetUrl: string | null
  /** From SIGTERM on, how long requests are served before the service stops. */
  readonly drainSeconds: number
  readonly limits: Limits
  /** A sentence for each variable that is not read and looks like one that is. */
  readonly warnings: readonly string[]
}

/** A value that cannot be. Its message is one sentence that names the variable. */
export class ConfigurationError extends Error {}

/** Fails with ConfigurationError. */
export function readConfiguration(environment: Environment): Configuration {
  const names = new Set<string>()
  const text = (name: string) => {
    names.add(name)
    const value = environment[name]
    return value === undefined || value === '' ? null : value
  }
  const production =
    oneOf(text('NODE_ENV'), 'NODE_ENV', ['development', 'production', 'test'], 'development') === 'production'
  const baseUrl = text('BASE_URL')
  if (baseUrl === null && production)
    throw new ConfigurationError(
      'BASE_URL must be set in production: it is the issuer of tokens and the base of links.',
    )
  if (baseUrl !== null) requireUrl('BASE_URL', baseUrl, ['http:', 'https:'])
  const jwtAlgorithm = oneOf(text('JWT_ALGORITHM'), 'JWT_ALGORITHM', ['ES256', 'RS256', 'HS256'], 'ES256')
  const jwtSecret = text('JWT_SECRET')
  if (jwtAlgorithm === 'HS256' && Buffer.byteLength(jwtSecret ?? '') < 32)
    throw new ConfigurationError('JWT_SECRET must have 32 bytes or more when JWT_ALGORITHM is HS256.')
  const databaseUrl = text('DATABASE_URL') ?? 'sqlite:./data/duet.db'
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(databaseUrl))
    throw new ConfigurationError('DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres://….')
  const redisUrl = text('REDIS_URL')
  if (redisUrl !== null) requireUrl('REDIS_URL', redisUrl, ['redis:', 'rediss:'])
  const smtpUrl = text('SMTP_URL')
  if (smtpUrl !== null) requireUrl('SMTP_URL', smtpUrl, ['smtp:', 'smtps:'])
  const passwordResetUrl = text('PASSWORD_RESET_URL')
  if (passwordResetUrl !== null && !passwordResetUrl.includes('{token}'))
    throw new ConfigurationError('PASSWORD_RESET_URL must have {token} in it.')
  const port = wholeNumber(text('PORT'), 'PORT', 3000, 65_535)
  const configuration = {
    production,
    host: text('HOST') ?? (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    databaseUrl,
    redisUrl,
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
    audience: text('JWT_AUDIENCE'),
    jwtAlgorithm,
    jwtSecret,
    trustProxy: text('TRUST_PROXY'),
    allowedOrigins: text('ALLOWED_ORIGINS'),
    trustedDocuments: text('TRUSTED_DOCUMENTS'),
    refreshTokenIn: oneOf(text('REFRESH_TOKEN_IN'), 'REFRESH_TOKEN_IN', ['body', 'cookie'], 'body'),
    ...readDemo(text, production),
    metricsPort: readMetricsPort(text, port),
    metricsHost: text('METRICS_HOST') ?? '127.0.0.1',
    logLevel: choice(text('LOG_LEVEL'), 'LOG_LEVEL', ['info', 'warn', 'error', 'off']),
    logRequests: onOrOff(text('LOG_REQUESTS'), 'LOG_REQUESTS'),
    smtpUrl,
    passwordResetUrl,
    drainSeconds: wholeNumber(text('DRAIN_SECONDS'), 'DRAIN_SECONDS', production ? 5 : 0, 3_600),
    limits: readLimits(text),
  }
  // Only now are all names known.
  const problem = unknownLimit(environment, names)
  if (problem !== null) throw new ConfigurationError(problem)
  return { ...configuration, warnings: nearMisses(environment, names) }
}

type Text = (name: string) => string | null

/** The usual password is published, so production refuses it. (contract 2.10.2) */
function readDemo(text: Text, production: boolean): Pick<Configuration, 'demoData' | 'demoPassword'> {
  const demoData = oneOf(text('DEMO_DATA'), 'DEMO_DATA', ['on', 'off'], production ? 'off' : 'on') === 'on'
  const password = text('DEMO_PASSWORD') ?? demoPassword
  if (password.length < 8) throw new ConfigurationError('DEMO_PASSWORD must have 8 characters or more.')
  if (demoData && production && password === demoPassword)
    throw new ConfigurationError(
      'DEMO_DATA=on needs a DEMO_PASSWORD of your own in production: the usual one is published, and one of the ' +
        'accounts is an admin.',
    )
  return { demoData, demoPassword: password }
}

function readMetricsPort(text: Text, port: number): number | null {
  const value = text('METRICS_PORT')
  if (value === null) return null
  const metricsPort = wholeNumber(value, 'METRICS_PORT', 0, 65_535)
  if (metricsPort === port && port !== 0)
    throw new ConfigurationError(`METRICS_PORT must not be ${port}: that is PORT, where the API answers everybody.`)
  return metricsPort
}

const limitVariables: readonly [variable: string, limit: keyof Limits, least: 0 | 1 | 2][] = [
  ['LIMIT_IP_PER_MINUTE', 'ipPerMinute', 0],
  ['LIMIT_USER_PER_HOUR', 'userPerHour', 0],
  ['LIMIT_LOGIN_PER_MINUTE', 'loginPerMinute', 0],
  ['LIMIT_FORGOT_PASSWORD_PER_MINUTE', 'forgotPasswordPerMinute', 0],
  ['LIMIT_QUERY_DEPTH', 'queryDepth', 1],
  ['LIMIT_QUERY_COMPLEXITY', 'queryComplexity', 1],
  ['LIMIT_QUERY_NODES', 'queryNodes', 1],
  ['LIMIT_BODY_BYTES', 'restBodyBytes', 1],
  ['LIMIT_ANSWER_BYTES', 'answerBytes', 1],
  ['LIMIT_PAGE_SIZE', 'pageSize', 1],
  ['LIMIT_OFFSET', 'offset', 0],
  ['LIMIT_QUERY_IDS', 'queryIds', 1],
  ['LIMIT_QUERY_TIMEOUT_MS', 'queryTimeoutMs', 1],
  ['LIMIT_REACTIONS_AT_ONCE', 'reactionsAtOnce', 0],
  ['LOG_SLOW_MS', 'slowRequestMs', 0],
  // One connection reads and another writes.
  ['DATABASE_POOL_SIZE', 'poolSize', 2],
]

function readLimits(text: Text): Limits {
  const limitValues = limitVariables.map(([variable, limit, least]) => {
    const value = wholeNumber(text(variable), variable, defaultLimits[limit], 1_000_000_000)
    if (value < least) throw new ConfigurationError(`${variable} must be ${least} or more.`)
    return [limit, value]
  })
  const limits: Limits = { ...defaultLimits, ...Object.fromEntries(limitValues) }
  return { ...limits, defaultPageSize: Math.min(limits.defaultPageSize, limits.pageSize) }
}

const oneOf = <const T extends string>(value: string | null, name: string, choices: readonly T[], otherwise: T): T =>
  choice(value, name, choices) ?? otherwise

function onOrOff(value: string | null, name: string): boolean | null {
  const chosen = choice(value, name, ['on', 'off'])
  return chosen === null ? null : chosen === 'on'
}

function choice<const T extends string>(value: string | null, name: string, choices: readonly T[]): T | null {
  if (value === null) return null
  const chosen = choices.find((each) => each === value)
  if (chosen === undefined) throw new ConfigurationError(`${name} must be ${choices.join(' or ')}; it is "${value}".`)
  return chosen
}

function wholeNumber(value: string | null, name: string, otherwise: number, most: number): number {
  if (value === null) return otherwise
  if (!/^\d{1,10}$/.test(value) || Number(value) > most)
    throw new ConfigurationError(`${name} must be a whole number from 0 to ${most}; it is "${value}".`)
  return Number(value)
}

function requireUrl(name: string, value: string, protocols: readonly string[]): void {
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigurationError(`${name} must begin with ${protocols.map((each) => `${each}//`).join(' or ')}.`)
  }
}
