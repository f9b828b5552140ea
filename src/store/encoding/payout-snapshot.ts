import type { Payout } from '../../domain/payouts/payout.ts'

/** The columns of an event that duplicate fields of its payout. */
export type EventPayoutColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly to_status: string
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type Repeated = Pick<Payout, 'streamId' | 'version' | 'statusRaw' | 'updatedAt'>

/** Returns the text of `payout_events.payout_json`: the payout after the event, without the fields that the event's own columns contain. */
export function encodeEventPayout(payout: Payout): string {
  const { streamId: _stream, version: _version, statusRaw: _status, updatedAt: _at, ...rest } = payout
  return JSON.stringify(rest)
}

/** Returns the payout after an event. */
export function decodeEventPayout(text: string, columns: EventPayoutColumns): Payout {
  const rest = JSON.parse(text) as Omit<Payout, keyof Repeated>
  return {
    ...rest,
    streamId: columns.stream_id,
    version: columns.sequence,
    statusRaw: columns.to_status,
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}
