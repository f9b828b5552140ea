/** Redis did not do what it was asked, or its outcome is unknown. Never an error for a user: callers go on without Redis. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  /** The first word of the server's error, such as READONLY, or an error code of the system; DOWN without an answer. */
  readonly code: string

  constructor(code: string) {
    super(`Redis: ${code}`)
    this.code = code
  }
}

const ERROR_WORD = /^[A-Z]{2,24}(?= |$)/

/** Converts an error of the driver, whose messages quote commands: only its code is kept. */
export function toRedisFailure(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error
  if (!(error instanceof Error)) return new RedisFailure('DOWN')
  const word = error.name === 'ReplyError' ? ERROR_WORD.exec(error.message)?.[0] : undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return new RedisFailure(word ?? code ?? 'DOWN')
}
