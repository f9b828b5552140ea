/** Redis did not do what it was asked, or its outcome is unknown. Never an error for a user: callers go on without Redis. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  /** The first word of the server's error, such as READONLY, or an error code of the system; DOWN without an answer. */
  readonly code: string
  /** Whether the server has answered, with an error. */
  readonly isRefusal: boolean

  constructor(code: string, isRefusal = false) {
    super(`Redis: ${code}`)
    this.code = code
    this.isRefusal = isRefusal
  }
}

const ERROR_WORD = /^[A-Z]{2,24}(?= |$)/

/** Converts an error of the driver, whose messages quote commands: only its code is kept. */
export function toRedisFailure(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error
  if (!(error instanceof Error)) return new RedisFailure('DOWN')
  if (error.name === 'ReplyError') return new RedisFailure(ERROR_WORD.exec(error.message)?.[0] ?? 'ERR', true)
  return new RedisFailure('code' in error && typeof error.code === 'string' ? error.code : 'DOWN')
}
