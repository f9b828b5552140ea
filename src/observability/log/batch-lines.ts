import type { DestinationStream } from 'pino'

/** Log lines that are written together. */
export type LineBatch = DestinationStream & {
  /** Writes the buffered lines synchronously. */
  flushSync(): void
}

/** Maximum number of buffered characters; above it the batch is written at once. */
const MAX_CHARACTERS = 64 * 1024

/**
 * Writes all lines of one turn of the event loop at its end, in one piece, because each write is a system call. Order is kept.
 * pino calls `flushSync` after a line of level `fatal`; code that ends the process in another way has to call it.
 */
export function batchLines(destination: DestinationStream): LineBatch {
  let waiting = ''
  let scheduled = false
  const flushSync = () => {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    destination.write(lines)
  }
  const flush = () => {
    scheduled = false
    flushSync()
  }
  return {
    write(line) {
      waiting += line
      if (waiting.length > MAX_CHARACTERS) flushSync()
      if (scheduled) return
      scheduled = true
      setImmediate(flush)
    },
    flushSync,
  }
}
