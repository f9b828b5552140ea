/** Milliseconds between a change and the read of it: changes that come together cause one read. */
const AFTER_CHANGE_MS = 120
/** Minimum milliseconds between two reads that changes cause. */
const BETWEEN_READS_MS = 1_000
/** Milliseconds before the first retry of a failed read; doubled for each further one. */
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 8_000
/** A read without a response for this many milliseconds has failed. */
const TIMEOUT_MS = 15_000

export type ReadOutcome = 'read' | 'failed'

export type RepeatedReadOptions = {
  /** Sends the read, and calls `end` once with its outcome. Returns the function that cancels it. */
  readonly send: (end: (outcome: ReadOutcome) => void) => () => void
  /** Called when a read had no response in time. It has been cancelled. */
  readonly onTimeout: () => void
  /** Milliseconds from a successful read to the next one. */
  readonly everyMs: number
}

export type RepeatedRead = {
  /** Reads now. */
  readonly now: () => void
  /** Reads soon, because something has changed. */
  readonly soon: () => void
  readonly stop: () => void
}

/**
 * Reads now and then regularly, one read at a time: after an interval, after a change, and again after a failure. While the
 * page is hidden it waits, and it reads when the page is shown or the network is back.
 */
export function repeatRead({ send, onTimeout, everyMs }: RepeatedReadOptions): RepeatedRead {
  let timer = 0
  let dueAt = Infinity
  let failures = 0
  let begunAt = -Infinity
  /** Cancels the running read; null while none runs. */
  let cancel: (() => void) | null = null
  /** Whether something has changed since the running read began. */
  let hasChanged = false

  const plan = (ms: number) => {
    window.clearTimeout(timer)
    dueAt = Date.now() + ms
    timer = window.setTimeout(() => {
      dueAt = Infinity
      if (document.visibilityState === 'visible') now()
    }, ms)
  }
  const ended = (outcome: ReadOutcome) => {
    cancel = null
    failures = outcome === 'failed' ? failures + 1 : 0
    plan(failures > 0 ? Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS) : everyMs)
    if (hasChanged) soon()
  }
  const now = () => {
    if (cancel !== null) {
      hasChanged = true
      return
    }
    hasChanged = false
    begunAt = Date.now()
    window.clearTimeout(timer)
    dueAt = Infinity
    let isOver = false
    const end = (outcome: ReadOutcome) => {
      if (isOver) return
      isOver = true
      window.clearTimeout(timeout)
      ended(outcome)
    }
    let cancelSent = () => {}
    const timeout = window.setTimeout(() => {
      cancelSent()
      onTimeout()
      end('failed')
    }, TIMEOUT_MS)
    cancel = () => {
      isOver = true
      window.clearTimeout(timeout)
      cancelSent()
    }
    cancelSent = send(end)
  }
  const soon = () => {
    if (cancel !== null) {
      hasChanged = true
      return
    }
    const ms = Math.max(AFTER_CHANGE_MS, begunAt + BETWEEN_READS_MS - Date.now())
    if (Date.now() + ms < dueAt) plan(ms)
  }
  const whenVisible = () => {
    if (document.visibilityState === 'visible') now()
  }

  document.addEventListener('visibilitychange', whenVisible)
  window.addEventListener('online', now)
  now()
  return {
    now,
    soon,
    stop: () => {
      document.removeEventListener('visibilitychange', whenVisible)
      window.removeEventListener('online', now)
      window.clearTimeout(timer)
      cancel?.()
    },
  }
}
