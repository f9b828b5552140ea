import { pino } from 'pino'
import type { DestinationStream, Logger as PinoLogger } from 'pino'
import { batchLines } from './log/batch-lines.ts'
import { allowedFields } from './log/log-fields.ts'
import type { LogFields } from './log/log-fields.ts'

export type { LogFields } from './log/log-fields.ts'

/** How much is logged, from the most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** One of the levels that `LOG_LEVEL` may name. */
export type LogLevel = (typeof LOG_LEVELS)[number]

type Line = (fields: LogFields, message: string) => void

/**
 * Writes log lines. Only ids and codes get through: fields by a list of names, values by their shape, and errors without
 * their message unless their class declares it safe. `message` is a constant text of ours and must hold no data.
 */
export type Logger = {
  readonly debug: Line
  readonly info: Line
  readonly warn: Line
  readonly error: Line
  readonly fatal: Line
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger
  /** Writes the lines of this turn of the event loop; to be called before the process ends. `fatal` does so by itself. */
  flush(): void
}

export type LoggerOptions = {
  readonly level: LogLevel
  /** Where the lines go, one JSON object each; standard output by default. */
  readonly destination?: DestinationStream
}

/** Longer than any message of ours; a text that is longer has data in it. */
const MAX_MESSAGE = 300

/** Makes the logger of the process. Times are ISO 8601 in UTC; neither the host's name nor the process id is written. */
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
      // What comes after an error may be the end of the process.
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
