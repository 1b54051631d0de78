// The log: JSON lines in production, readable lines in development. Never a secret.

import { pino } from 'pino'

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
export type LogFields = Readonly<Record<string, unknown>>

/** What must not be written even if somebody hands it over. */
const secrets = ['authorization', 'cookie', 'password', 'token', 'access_token', 'refresh_token', 'key', 'secret']
const redacted = [...secrets, ...secrets.map((name) => `*.${name}`)]

/** `write` takes whole lines. */
export function createLog({ json, write }: { readonly json: boolean; readonly write: (line: string) => void }): Log {
  const logger = pino(
    {
      base: null,
      redact: redacted,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write: json ? write : (line) => write(readable(line)) },
  )
  const at =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      logger[level](fields, message)
  return { info: at('info'), warn: at('warn'), error: at('error') }
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
