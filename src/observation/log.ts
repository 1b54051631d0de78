// The log: JSON lines in production, readable lines in development. Never a secret.

import { pino } from 'pino'
import { describeError } from './describe-error.ts'
import { createRequestLog, type RequestLines } from './request-log.ts'
import { createCleaner, isSecretName } from './secrets.ts'
import type { Watch } from './watch.ts'

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  /** `secrets`: what must not be written of this one, such as what the failing request said. */
  error(message: string, fields?: LogFields, secrets?: readonly string[]): void
  /** Writes a line for each request that has its answer; undefined where nobody wants them. */
  readonly watch?: Watch | undefined
}
export type LogFields = Readonly<Record<string, unknown>>
export type LogLevel = 'info' | 'warn' | 'error' | 'off'

export interface LogOptions {
  readonly json: boolean
  /** Takes whole lines. Those that are urgent should not wait for others. */
  readonly write: (line: string, isUrgent: boolean) => void
  /** Less important lines are not written; all are unless said. */
  readonly level?: LogLevel
  /** Requests have no lines unless said. */
  readonly requests?: RequestLines
  /** What must not be written wherever it turns up, such as the password of the database. */
  readonly secrets?: readonly string[]
}

/** `write` takes whole lines. */
export function createLog(options: LogOptions): Log {
  const { json, write, level = 'info', requests, secrets = [] } = options
  const put = (line: string) => write(json ? line : readable(line), true)
  const logger = pino(
    {
      level: level === 'off' ? 'silent' : level,
      base: null,
      serializers: { err: (described) => described },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: put },
  )
  const clean = createCleaner(secrets)
  // What goes wrong may quote what was sent; what goes well says only what we wrote.
  const at =
    (importance: 'warn' | 'error') =>
    (message: string, fields: LogFields = {}, own: readonly string[] = []) => {
      if (!logger.isLevelEnabled(importance)) return
      const cleaner = own.length === 0 ? clean : createCleaner([...secrets, ...own])
      logger[importance](cleaned(fields, cleaner) as object, cleaner(message))
    }
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: at('warn'),
    error: at('error'),
    watch: requests === undefined ? undefined : createRequestLog({ json, level, write, ...requests }),
  }
}

// Deeper than anything that is logged.
const depthMax = 6

function cleaned(value: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === depthMax) return '…'
  if (value instanceof Error) return cleaned(describeError(value), clean, depth)
  if (Array.isArray(value)) return value.map((each) => cleaned(each, clean, depth + 1))
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    isSecretName(name) && typeof each !== 'object' ? '[secret]' : cleaned(each, clean, depth + 1),
  ])
  return Object.fromEntries(entries)
}

function readable(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const { err, ...others } = fields as { err?: { stack?: string } }
  const rest = Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return `${String(time).slice(11, 19)} ${level === 'info' ? '' : `${String(level)}: `}${String(msg)}${rest}${stack}\n`
}

/** Tells nobody anything. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
