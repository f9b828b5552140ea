import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import { positionOf } from './notified-wake-ups.ts'
import type { WakeListener, WakeUps } from './wake-ups.ts'

/** Named channels between the nodes, of which each node hears those that it has added. */
export type Channels = {
  publish(messages: readonly (readonly [channel: string, text: string])[]): void
  add(channel: string): void
  remove(channel: string): void
  readonly isConnected: boolean
  close(): Promise<void>
}

export type ChannelsListener = {
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
