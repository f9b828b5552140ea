import type { PaymentEvent } from '../domain/events/payment-event.ts'

/** Called when another node may have appended events: all up to `position` are committed; null if it is not known up to where. */
export type WakeListener = (position: number | null) => void

/**
 * Tells the other nodes on the same database that the log has grown, and this one when theirs have. A wake-up contains a position and
 * never data, and may be lost: the poll of the tail finds what none announced.
 */
export type WakeUps = {
  /** Announces events that this node has committed. Returns at once. */
  announce(events: readonly PaymentEvent[]): void
  /** Sets the listener. */
  onWake(listener: WakeListener): void
  /** Begins to hear of the events of one stream, or of all (null). After that the listener is called once, for what came meanwhile. */
  follow(streamId: string | null): void
  /** Ends what `follow` began. */
  unfollow(streamId: string | null): void
  /** Whether wake-ups of other nodes arrive at present. */
  readonly isConnected: boolean
  /** Resolves when what was announced has been sent, or after half a second. */
  close(): Promise<void>
}

/** For a database that only one process uses. */
export const NO_WAKE_UPS: WakeUps = {
  announce: () => {},
  onWake: () => {},
  follow: () => {},
  unfollow: () => {},
  isConnected: false,
  close: () => Promise.resolve(),
}

/** Named channels between the nodes, of which each node hears those that it has added. */
type Channels = {
  publish(messages: readonly (readonly [channel: string, text: string])[]): void
  add(channel: string): void
  remove(channel: string): void
  readonly isConnected: boolean
  close(): Promise<void>
}

type ChannelsListener = {
  onText(text: string): void
  /** Channels that were added are heard from now on, perhaps again: texts before may have been missed. */
  onAdded(): void
}

/**
 * Wake-ups over a channel per stream and one for the whole log, so that a node hears only what it follows. `logId` is part of every
 * name: deployments that share a server do not hear each other.
 */
export function createChannelWakeUps(logId: string, openChannels: (listener: ChannelsListener) => Channels): WakeUps {
  let listener: WakeListener = () => {}
  const nameOf = (streamId: string | null) => `payments:${logId}:${streamId ?? 'log'}`
  const channels = openChannels({
    onText(text) {
      const position = positionOf(text)
      if (position !== null) listener(position)
    },
    onAdded: () => listener(null),
  })
  return {
    announce: (events) => channels.publish(messagesOf(events, nameOf)),
    onWake(onWake) {
      listener = onWake
    },
    follow: (streamId) => channels.add(nameOf(streamId)),
    unfollow: (streamId) => channels.remove(nameOf(streamId)),
    get isConnected() {
      return channels.isConnected
    },
    close: channels.close,
  }
}

/** One message to each stream of a commit and one to the whole log, with the commit's last position. */
function messagesOf(events: readonly PaymentEvent[], nameOf: (streamId: string | null) => string) {
  const last = events.at(-1)
  if (last === undefined) return []
  const streamIds = new Set<string | null>(events.map(({ streamId }) => streamId)).add(null)
  return Array.from(streamIds, (streamId) => [nameOf(streamId), `${last.position}`] as const)
}

/** One channel between the nodes. What is sent at the same time is reduced to the last text. */
type NotificationChannel = {
  send(text: string): void
  readonly isConnected: boolean
  close(): Promise<void>
}

type ChannelListener = {
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
function positionOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}
