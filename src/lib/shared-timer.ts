/** A member, called periodically until it is removed. */
export type TimerMember = { onTimer(): void }

/** One timer for all streams and sockets, instead of several for each. */
export type SharedTimer = {
  /** Milliseconds between two calls of a member. */
  readonly periodMs: number
  add(member: TimerMember): void
  delete(member: TimerMember): void
}

/** Milliseconds between two slices of the members. */
const SLICE_MS = 50

/**
 * Calls each member once in `periodMs`, in slices that are spread over it, so that thousands of members do not all act at once.
 * Does not keep the process alive, and stops while there are no members.
 */
export function createSharedTimer(periodMs: number): SharedTimer {
  const slices = Array.from({ length: Math.max(1, Math.floor(periodMs / SLICE_MS)) }, () => new Set<TimerMember>())
  let timer: NodeJS.Timeout | undefined
  let size = 0
  let current = 0
  let filling = 0
  const tick = () => {
    current = (current + 1) % slices.length
    for (const member of slices[current] ?? []) member.onTimer()
  }
  return {
    periodMs,
    add(member) {
      filling = (filling + 1) % slices.length
      slices[filling]?.add(member)
      size += 1
      timer ??= setInterval(tick, periodMs / slices.length).unref()
    },
    delete(member) {
      if (!slices.some((slice) => slice.delete(member))) return
      size -= 1
      if (size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Maximum milliseconds between two checks of a peer that does not read. */
const LOOK_MS = 1_000

/** Returns the period at which peers are checked; the time between two heartbeats is a whole multiple of it. */
export function lookPeriodMs({ keepAliveMs, bufferedMs }: { keepAliveMs: number; bufferedMs: number }): number {
  return keepAliveMs / Math.ceil(keepAliveMs / Math.min(LOOK_MS, bufferedMs / 2))
}
