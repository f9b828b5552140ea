import type { DestinationStream } from 'pino'

/** Lines that are written together. */
export type LineBatch = DestinationStream & {
  /** Writes what waits, before it returns. */
  flushSync(): void
}

/** Characters that may wait; with more the batch is written at once. */
const MAX_CHARACTERS = 64 * 1024

/**
 * Writes all lines of one turn of the event loop at its end, in one piece, because each write is a system call. Order is kept.
 * pino calls `flushSync` after a line of the level `fatal`; whoever ends the process otherwise has to call it.
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
