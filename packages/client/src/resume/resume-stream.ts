import { errorOf, type GraphError } from '../client-errors.ts'
import { backoffMs } from '../connection/connection-attempt.ts'
import { timingOf, type Timing } from '../connection/timing.ts'
import { createPosition, type ResumableItem } from '../stream-position.ts'

/** A result of a subscription, as client libraries pass it on. */
export type StreamResult = { readonly data?: unknown; readonly errors?: readonly GraphError[] | undefined }

export type StreamSink<Result> = {
  next(result: Result): void
  error(error: unknown): void
  complete(): void
}

/**
 * Opens the subscription with its own variables and these: none at first, then the cursor of the last item as `after`; null after a
 * `RESYNC_REQUIRED`, because an own `after` cannot be continued either. Returns the function that closes it.
 */
export type OpenStream<Result> = (variables: { readonly after?: string | null }, sink: StreamSink<Result>) => () => void

export type ResumeOptions = { readonly timing?: Partial<Pick<Timing, 'retryMs' | 'retryMaxMs'>> }

/**
 * Runs a subscription of any client library, and opens it again after the last item when it was interrupted, or when an item is missing
 * because the library or a gateway has sent the first variables again. So `sink` receives each item once, in order. Errors that another
 * attempt cannot change are passed on and end the stream. Returns the function that ends it.
 *
 * @example
 * const stop = resumeStream((after, sink) => client.subscribe({ query, variables: { id, ...after } }, sink), { next: show, error, complete })
 */
export function resumeStream<Result extends StreamResult>(
  open: OpenStream<Result>,
  sink: StreamSink<Result>,
  options: ResumeOptions = {},
): () => void {
  const timing = timingOf(options.timing)
  const position = createPosition(null)
  let isNew = true
  let failures = 0
  let isOver = false
  let leave = () => {}

  const enter = () => {
    let isLeft = false
    let close: (() => void) | null = null
    leave = () => {
      isLeft = true
      close?.()
    }
    const again = (waitMs: number) => {
      leave()
      const timer = setTimeout(enter, waitMs)
      leave = () => clearTimeout(timer)
    }
    const retry = () => {
      failures += 1
      again(backoffMs(failures, { timing, random: Math.random() }))
    }
    const end = (tell: () => void) => {
      isOver = true
      leave()
      tell()
    }
    close = open(isNew ? {} : { after: position.cursor }, {
      next(result) {
        if (isLeft) return
        if (isPassing(result)) return retry()
        const item = itemOf(result)
        const taken = item === null ? 'taken' : position.take(item)
        if (taken === 'gap') return again(0)
        if (item !== null) isNew = false
        failures = 0
        sink.next(result)
        // The sink may have ended the stream.
        if (taken === 'resync' && !isOver) again(0)
      },
      error(error) {
        if (isLeft) return
        if (isFinal(error)) end(() => sink.error(error))
        else retry()
      },
      complete() {
        if (!isLeft) end(() => sink.complete())
      },
    })
    // The library may have called the sink already.
    if (isLeft) close()
  }

  enter()
  return () => {
    if (isOver) return
    isOver = true
    leave()
  }
}

/** Whether the stream was interrupted by something that passes: a process that stops, or has too much to do. */
function isPassing({ data, errors = [] }: StreamResult): boolean {
  return (data === null || data === undefined) && errors.length > 0 && passes(errors)
}

/** A stream that made room for a newer one of the same status token would, opened again, end that one in turn. */
function passes(errors: readonly GraphError[]): boolean {
  const { code, retryable } = errorOf(errors)
  return retryable && code !== 'TOO_MANY_OPERATIONS'
}

/** Returns the item of a result with one root field; null if it has none of these fields. */
function itemOf({ data }: StreamResult): ResumableItem | null {
  const [item] = Object.values((data ?? {}) as Record<string, unknown>)
  const { kind, cursor } = (item ?? {}) as Partial<ResumableItem>
  return typeof kind === 'string' && typeof cursor === 'string' ? (item as ResumableItem) : null
}

/** Close codes by which the server refuses for good (4400 to 4499), but for 4403: the token has expired, and the next is sent. */
const REFUSED = /\b44(?!03)\d\d\b/

/** Whether another attempt would end alike: errors of the graph that do not pass, and sockets that were refused. */
function isFinal(error: unknown): boolean {
  const {
    errors = error,
    code,
    message = '',
  } = (error ?? {}) as {
    readonly errors?: unknown
    readonly code?: unknown
    readonly message?: string
  }
  if (Array.isArray(errors)) return !passes(errors as GraphError[])
  return REFUSED.test(typeof code === 'number' ? String(code) : message)
}
