// Parses the configuration from environment variables, which are passed in. (contract 0.1)

import { availableParallelism } from 'node:os'
import { type DataKeys, readDataKeys } from '../../encryption/data-key.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { type AddressRule, createAddressRule } from '../../outbound/address-rule.ts'
import { databaseUrlProblem } from './database-url.ts'
import { demoPassword } from './demo-password.ts'
import { type Environment, nearMisses, unknownLimit } from './unknown-variables.ts'
import {
  defaultOf,
  type NumberVariable,
  type ValueOf,
  type Variable,
  type VariableName,
  variables,
} from './variables.ts'

export interface Configuration {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** Processes on one port. */
  readonly instances: number
  readonly databaseUrl: string
  /** Past a pooler; null: as the database. */
  readonly listenUrl: string | null
  /** The first encrypts, all decrypt; null without DATA_KEY. */
  readonly dataKeys: DataKeys | null
  readonly redisUrl: string | null
  /** Issuer of tokens and base of links; null: `http://HOST:PORT` once the port is known. */
  readonly baseUrl: string | null
  readonly audience: string | null
  readonly jwtAlgorithm: 'ES256' | 'RS256' | 'HS256'
  readonly jwtSecret: string | null
  readonly trustProxy: string | null
  readonly allowedOrigins: string | null
  /** A file with the only permitted GraphQL documents; null: any. */
  readonly trustedDocuments: string | null
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly demoData: boolean
  readonly demoPassword: string
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** Null: depends on how the service is started. */
  readonly logLevel: 'info' | 'warn' | 'error' | 'off' | null
  /** Null: as above. */
  readonly logRequests: boolean | null
  readonly smtpUrl: string | null
  readonly passwordResetUrl: string | null
  readonly verifyUrl: string | null
  readonly magicLinkUrl: string | null
  /** Null: the host of the base URL. */
  readonly passkeyDomain: string | null
  readonly passkeyAppOrigins: readonly string[]
  readonly returnUrls: string | null
  /** Which addresses that are not public the service may send requests to. */
  readonly outbound: AddressRule
  readonly drainSeconds: number
  readonly limits: Limits
  /** A sentence for each unknown variable that resembles a known one. */
  readonly warnings: readonly string[]
}

/** The message names the variable. */
export class ConfigurationError extends Error {}

/** Operators need the message, not the stack. */
export function configured<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigurationError((error as Error).message)
  }
}

export function readConfiguration(environment: Environment): Configuration {
  const production = readVariable('NODE_ENV', environment, false) === 'production'
  const read: Read = (name) => readVariable(name, environment, production)
  const baseUrl = read('BASE_URL')
  if (baseUrl === null && production)
    throw new ConfigurationError(
      'BASE_URL must be set in production: it is the issuer of tokens and the base of links.',
    )
  if (baseUrl !== null) requireUrl('BASE_URL', baseUrl, ['http:', 'https:'])
  const jwtAlgorithm = read('JWT_ALGORITHM')
  const jwtSecret = read('JWT_SECRET')
  if (jwtAlgorithm === 'HS256' && Buffer.byteLength(jwtSecret ?? '') < 32)
    throw new ConfigurationError('JWT_SECRET must have 32 bytes or more when JWT_ALGORITHM is HS256.')
  const databaseUrl = read('DATABASE_URL')
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(databaseUrl))
    throw new ConfigurationError('DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres://….')
  const databaseUrlError = databaseUrlProblem(databaseUrl, 'DATABASE_URL')
  if (databaseUrlError !== null) throw new ConfigurationError(databaseUrlError)
  const redisUrl = read('REDIS_URL')
  if (redisUrl !== null) requireUrl('REDIS_URL', redisUrl, ['redis:', 'rediss:'])
  const smtpUrl = read('SMTP_URL')
  if (smtpUrl !== null) requireUrl('SMTP_URL', smtpUrl, ['smtp:', 'smtps:'])
  const passwordResetUrl = read('PASSWORD_RESET_URL')
  const [verifyUrl, magicLinkUrl] = [read('VERIFY_URL'), read('MAGIC_LINK_URL')]
  for (const [name, url] of Object.entries({
    PASSWORD_RESET_URL: passwordResetUrl,
    VERIFY_URL: verifyUrl,
    MAGIC_LINK_URL: magicLinkUrl,
  }))
    if (url !== null && !url.includes('{token}')) throw new ConfigurationError(`${name} must have {token} in it.`)
  const configuration = {
    production,
    host: read('HOST'),
    port: read('PORT'),
    instances: readInstances(read('INSTANCES'), databaseUrl),
    databaseUrl,
    listenUrl: readListenUrl(read, databaseUrl),
    dataKeys: dataKeysIn(read('DATA_KEY')),
    redisUrl,
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
    audience: read('JWT_AUDIENCE'),
    jwtAlgorithm,
    jwtSecret,
    trustProxy: read('TRUST_PROXY'),
    allowedOrigins: read('ALLOWED_ORIGINS'),
    trustedDocuments: read('TRUSTED_DOCUMENTS'),
    refreshTokenIn: read('REFRESH_TOKEN_IN'),
    ...readDemo(read, production),
    metricsPort: readMetricsPort(read),
    metricsHost: read('METRICS_HOST'),
    logLevel: read('LOG_LEVEL'),
    logRequests: isOn(read('LOG_REQUESTS')),
    smtpUrl,
    passwordResetUrl,
    verifyUrl,
    magicLinkUrl,
    passkeyDomain: readPasskeyDomain(read('PASSKEY_DOMAIN')),
    passkeyAppOrigins: readAppOrigins(read('PASSKEY_APP_ORIGINS')),
    returnUrls: read('RETURN_URLS'),
    outbound: configured(() => createAddressRule({ outbound: read('OUTBOUND'), production })),
    drainSeconds: read('DRAIN_SECONDS'),
    limits: readLimits(environment),
  }
  const names = new Set<string>(Object.keys(variables))
  const problem = unknownLimit(environment, names)
  if (problem !== null) throw new ConfigurationError(problem)
  return { ...configuration, warnings: nearMisses(environment, names) }
}

function readInstances(text: string, databaseUrl: string): number {
  if (text !== 'auto' && !/^[1-9]\d?$/.test(text))
    throw new ConfigurationError(`INSTANCES must be a whole number from 1 to 99, or auto; it is "${text}".`)
  if (text !== '1' && databaseUrl.startsWith('sqlite:'))
    throw new ConfigurationError('INSTANCES needs PostgreSQL: a SQLite file is used by one process.')
  return text === 'auto' ? availableParallelism() : Number(text)
}

function readListenUrl(read: Read, databaseUrl: string): string | null {
  const url = read('DATABASE_LISTEN_URL')
  if (url === null) return null
  if (!/^postgres(ql)?:\/\/.+$/.test(url) || !/^postgres(ql)?:/.test(databaseUrl))
    throw new ConfigurationError('DATABASE_LISTEN_URL must be postgres://… next to a DATABASE_URL of PostgreSQL.')
  const problem = databaseUrlProblem(url, 'DATABASE_LISTEN_URL')
  if (problem !== null) throw new ConfigurationError(problem)
  return url
}

type Read = <N extends VariableName>(name: N) => ValueOf<N>

function dataKeysIn(text: string | null): DataKeys | null {
  if (text === null) return null
  const keys = readDataKeys(text)
  if (keys === null)
    throw new ConfigurationError('DATA_KEY must be 32 bytes in base64, or several such keys between commas.')
  return keys
}

/** Production refuses the published default password. (contract 2.10.2) */
function readDemo(read: Read, production: boolean): Pick<Configuration, 'demoData' | 'demoPassword'> {
  const demoData = read('DEMO_DATA') === 'on'
  const password = read('DEMO_PASSWORD')
  if (password.length < 8) throw new ConfigurationError('DEMO_PASSWORD must have 8 characters or more.')
  if (demoData && production && password === demoPassword)
    throw new ConfigurationError(
      'DEMO_DATA=on needs a DEMO_PASSWORD of your own in production: the usual one is published, and one of the ' +
        'accounts is an admin.',
    )
  return { demoData, demoPassword: password }
}

function readPasskeyDomain(domain: string | null): string | null {
  if (domain !== null && URL.parse(`https://${domain}`)?.hostname !== domain)
    throw new ConfigurationError(`PASSKEY_DOMAIN must be a domain such as example.com; it is "${domain}".`)
  return domain
}

function readAppOrigins(text: string | null): readonly string[] {
  const origins = (text ?? '').split(',').map((origin) => origin.trim())
  const names = origins.filter((origin) => origin !== '')
  const wrong = names.find((origin) => !/^android:apk-key-hash:[A-Za-z0-9_-]{43}$/.test(origin))
  if (wrong !== undefined)
    throw new ConfigurationError(
      `PASSKEY_APP_ORIGINS: "${wrong}" is not android:apk-key-hash: and a SHA-256 in base64url.`,
    )
  return names
}

function readMetricsPort(read: Read): number | null {
  const [port, metricsPort] = [read('PORT'), read('METRICS_PORT')]
  if (metricsPort === port && port !== 0)
    throw new ConfigurationError(`METRICS_PORT must not be ${port}: that is PORT, where the public API listens.`)
  return metricsPort
}

function readLimits(environment: Environment): Limits {
  const names = Object.keys(variables) as VariableName[]
  const values = names.flatMap((name) => {
    const variable: Variable = variables[name]
    const limit = 'limit' in variable ? variable.limit : undefined
    return limit === undefined ? [] : [[limit, readVariable(name, environment, false)]]
  })
  const limits: Limits = { ...defaultLimits, ...Object.fromEntries(values) }
  return { ...limits, defaultPageSize: Math.min(limits.defaultPageSize, limits.pageSize) }
}

const isOn = (value: 'on' | 'off' | null): boolean | null => (value === null ? null : value === 'on')

function readVariable<N extends VariableName>(name: N, environment: Environment, production: boolean): ValueOf<N> {
  const text = environment[name] ?? ''
  return (text === '' ? defaultOf(name, production) : parse(text, name, variables[name])) as ValueOf<N>
}

function parse(text: string, name: VariableName, variable: Variable): string | number {
  if ('from' in variable) return wholeNumber(text, name, variable)
  if ('oneOf' in variable && !variable.oneOf.includes(text))
    throw new ConfigurationError(`${name} must be ${variable.oneOf.join(' or ')}; it is "${text}".`)
  return text
}

function wholeNumber(text: string, name: string, { from, to }: NumberVariable): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > to)
    throw new ConfigurationError(`${name} must be a whole number from 0 to ${to}; it is "${text}".`)
  if (Number(text) < from) throw new ConfigurationError(`${name} must be ${from} or more.`)
  return Number(text)
}

function requireUrl(name: string, value: string, protocols: readonly string[]): void {
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigurationError(`${name} must begin with ${protocols.map((each) => `${each}//`).join(' or ')}.`)
  }
}
