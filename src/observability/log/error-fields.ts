/** The logged part of an error: class, code and stack locations; the message only if its class declares it safe. */
export type SafeError = {
  readonly name: string
  readonly code?: string | number
  readonly message?: string
  readonly stack?: readonly string[]
  readonly cause?: SafeError
}

const CODE = /^[\w.:-]{1,64}$/
/** A valid class name. Any code may set the property, so an arbitrary text is no safer than a message. */
const NAME = /^[A-Z][A-Za-z0-9]{0,63}$/
const FRAME =
  /^ {4}at (?:(?:async |new )?[\w$.<>#[\] ]{1,120} \()?(?:file:\/\/\/|node:|\/|[A-Za-z]:\\)[^\s()]{1,300}:\d+:\d+\)?$/
const MAX_FRAMES = 12
const MAX_CAUSES = 3

/**
 * Reduces a thrown value to what may be logged: the name, the code, the stack locations, and the same of its cause. The message
 * is omitted, since messages of libraries quote their input; a class whose messages contain no data declares so with a property
 * `safeMessage` that is true.
 */
export function safeError(thrown: unknown): SafeError {
  return reduced(thrown, MAX_CAUSES)
}

function reduced(thrown: unknown, causesLeft: number): SafeError {
  if (!(thrown instanceof Error)) return { name: `thrown ${thrown === null ? 'null' : typeof thrown}` }
  const stack = framesOf(thrown)
  return {
    name: NAME.test(thrown.name) ? thrown.name : 'Error',
    ...codeOf(thrown),
    ...('safeMessage' in thrown && thrown.safeMessage === true ? { message: thrown.message } : {}),
    ...(stack.length === 0 ? {} : { stack }),
    ...(thrown.cause instanceof Error && causesLeft > 0 ? { cause: reduced(thrown.cause, causesLeft - 1) } : {}),
  }
}

function codeOf(error: Error): { code?: string | number } {
  const code: unknown = 'code' in error ? error.code : undefined
  if (typeof code === 'number') return { code }
  return typeof code === 'string' && CODE.test(code) ? { code } : {}
}

/**
 * Returns the stack locations only. The text before the first of them repeats the message, which may itself look like a location.
 */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : ''
  const message = error.message === '' ? -1 : stack.indexOf(error.message)
  const frames = message === -1 ? stack : stack.slice(message + error.message.length)
  return frames
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim())
}
