/** A wake-up that is remembered until somebody waits for it, so that none is lost between a look and a wait. */
export type Wake = {
  ring(): void
  /** Resolves at the next ring, or at once when one came since the last wait. Resolves for good after `close`. */
  wait(): Promise<void>
  close(): void
  readonly closed: boolean
}

export function createWake(): Wake {
  let rung = false
  let closed = false
  let wakeUp: (() => void) | null = null
  const release = () => {
    rung = true
    wakeUp?.()
    wakeUp = null
  }
  return {
    ring: release,
    async wait() {
      if (!rung && !closed) await new Promise<void>((resolve) => (wakeUp = resolve))
      rung = false
    },
    close() {
      closed = true
      release()
    },
    get closed() {
      return closed
    },
  }
}
