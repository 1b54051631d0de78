// The log: JSON lines in production, readable lines in development, without secrets.

import { pino } from 'pino'
import { describeError } from './describe-error.ts'
import { createRequestLog, type RequestLines } from './request-log.ts'
import { createCleaner, isSecretName } from './secrets.ts'
import type { Watch } from './watch.ts'

export interface Log {
  /** `secrets`: texts to redact from this line. */
  info(message: string, fields?: LogFields, secrets?: readonly string[]): void
  warn(message: string, fields?: LogFields, secrets?: readonly string[]): void
  error(message: string, fields?: LogFields, secrets?: readonly string[]): void
  /** A warning that keeps secrets: only for what development prints because it cannot be sent. */
  reveal(message: string): void
  /** Writes a line per answered request; undefined if requests are not logged. */
  readonly watch?: Watch | undefined
}
export type LogFields = Readonly<Record<string, unknown>>
export type LogLevel = 'info' | 'warn' | 'error' | 'off'

export interface LogOptions {
  readonly json: boolean
  /** Takes whole lines. Urgent ones are written at once. */
  readonly write: (line: string, isUrgent: boolean) => void
  /** Default: `info`. */
  readonly level?: LogLevel
  /** Default: no requests. */
  readonly requests?: RequestLines
  /** Texts to redact from every line. */
  readonly secrets?: readonly string[]
}

export function createLog(options: LogOptions): Log {
  const { json, write, level = 'info', requests, secrets = [] } = options
  const writeLine = (line: string) => write(json ? line : readable(line), true)
  const logger = pino(
    {
      level: level === 'off' ? 'silent' : level,
      base: null,
      serializers: { err: (description) => description },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: writeLine },
  )
  const clean = createCleaner(secrets)
  // Messages may quote a request, and those of author's code anything.
  const at =
    (importance: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}, own: readonly string[] = []) => {
      if (!logger.isLevelEnabled(importance)) return
      const cleaner = own.length === 0 ? clean : createCleaner([...secrets, ...own])
      logger[importance](redact(fields, cleaner) as object, cleaner(message))
    }
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    reveal: (message) => logger.warn(message),
    watch: requests === undefined ? undefined : createRequestLog({ json, level, write, ...requests }),
  }
}

// Deeper than any logged value.
const depthMax = 6

function redact(value: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === depthMax) return '…'
  if (value instanceof Error) return redact(describeError(value), clean, depth)
  if (Array.isArray(value)) return value.map((each) => redact(each, clean, depth + 1))
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    isSecretName(name) && typeof each !== 'object' ? '[secret]' : redact(each, clean, depth + 1),
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

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {}, reveal: () => {} }
