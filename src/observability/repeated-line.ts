import type { LogFields, Logger } from './logger.ts'

/** Milliseconds for which further lines are counted instead of written. */
const QUIET_MS = 60_000

/**
 * Returns what writes a line that may be due thousands of times: the first one at once, and those of the following minute as one line with
 * their `count`, for each combination of fields. `level` is `warn` by default.
 */
export function createRepeatedLine(
  logger: Logger,
  message: string,
  level: 'info' | 'warn' = 'warn',
): (fields: LogFields) => void {
  const counts = new Map<string, number>()
  const write = (key: string, fields: LogFields, count: number) => {
    logger[level]({ ...fields, count }, message)
    counts.set(key, 0)
    setTimeout(() => {
      const more = counts.get(key) ?? 0
      counts.delete(key)
      if (more > 0) write(key, fields, more)
    }, QUIET_MS).unref()
  }
  return (fields) => {
    const key = JSON.stringify(fields)
    const count = counts.get(key)
    if (count === undefined) write(key, fields, 1)
    else counts.set(key, count + 1)
  }
}
