import { pino } from 'pino'
import type { DestinationStream, Logger as PinoLogger } from 'pino'
import { batchLines } from './log/batch-lines.ts'
import { allowedFields, type LogFields } from './log/log-fields.ts'

export type { LogFields } from './log/log-fields.ts'

/** Log levels, from the most output to none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** One of the levels that `LOG_LEVEL` may name. */
export type LogLevel = (typeof LOG_LEVELS)[number]

type Line = (fields: LogFields, message: string) => void

/**
 * Writes log lines. Only ids and codes are written: fields are filtered by name, values by their format, and error messages are
 * omitted unless the class declares them safe. `message` is a constant text of ours and must not contain data.
 */
export type Logger = {
  readonly debug: Line
  readonly info: Line
  readonly warn: Line
  readonly error: Line
  readonly fatal: Line
  /** Returns a logger that adds these fields to every line. */
  child(fields: LogFields): Logger
  /** Writes the lines buffered in this turn of the event loop; call it before the process ends. `fatal` does so by itself. */
  flush(): void
}

export type LoggerOptions = {
  readonly level: LogLevel
  /** Destination of the lines, one JSON object each. Default: standard output. */
  readonly destination?: DestinationStream
}

/** Longer than any message of ours; a longer text contains data. */
const MAX_MESSAGE = 300

/** Creates the logger of the process. Times are ISO 8601 in UTC; neither the host name nor the process id is written. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (destination !== undefined) return narrow(pino(options, destination), () => {})
  const batch = batchLines(pino.destination({ sync: true }))
  return narrow(pino(options, batch), batch.flushSync)
}

function narrow(inner: PinoLogger, flush: () => void): Logger {
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'): Line =>
    (fields, message) => {
      if (!inner.isLevelEnabled(level)) return
      inner[level](allowedFields(fields), message.slice(0, MAX_MESSAGE))
      // The process may end after an error.
      if (level === 'error') flush()
    }
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
    child: (fields) => narrow(inner.child(allowedFields(fields)), flush),
    flush,
  }
}
