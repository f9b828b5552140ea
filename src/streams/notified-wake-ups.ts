import type { WakeListener, WakeUps } from './wake-ups.ts'

/** One channel between the nodes. What is sent at the same time is reduced to the last text. */
export type NotificationChannel = {
  send(text: string): void
  readonly isConnected: boolean
  close(): Promise<void>
}

export type ChannelListener = {
  onText(text: string): void
  /** The channel is connected, perhaps again: texts before may have been missed. */
  onConnected(): void
}

/**
 * Wake-ups over one channel for all streams: every node hears of every commit. A node without followers does not look, and looks when
 * it has the first.
 */
export function createNotifiedWakeUps(openChannel: (listener: ChannelListener) => NotificationChannel): WakeUps {
  let listener: WakeListener = () => {}
  let followed = 0
  const wake: WakeListener = (position) => {
    if (followed > 0) listener(position)
  }
  const channel = openChannel({
    onText(text) {
      const position = positionOf(text)
      if (position !== null) wake(position)
    },
    onConnected: () => wake(null),
  })
  return {
    announce(events) {
      const last = events.at(-1)
      if (last !== undefined) channel.send(`${last.position}`)
    },
    onWake(onWake) {
      listener = onWake
    },
    follow() {
      followed += 1
      if (followed === 1) wake(null)
    },
    unfollow() {
      followed -= 1
    },
    get isConnected() {
      return channel.isConnected
    },
    close: channel.close,
  }
}

/** Returns the position that a wake-up contains; null for a text that is none. */
export function positionOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}
