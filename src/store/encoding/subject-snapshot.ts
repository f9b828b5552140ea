/** The columns of an event that duplicate fields of its subject. */
export type EventSubjectColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly to_status: string
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type Repeated = {
  readonly streamId: string
  readonly version: number
  readonly statusRaw: string
  readonly updatedAt: string
}

/** Returns the text of an event's subject: the payout or gateway payment after the event, without the fields that the event's own columns contain. */
export function encodeEventSubject(subject: Repeated): string {
  const { streamId: _stream, version: _version, statusRaw: _status, updatedAt: _at, ...rest } = subject
  return JSON.stringify(rest)
}

/** Returns the fields of the subject after an event. */
export function decodeEventSubject(text: string, columns: EventSubjectColumns): Repeated {
  return {
    ...(JSON.parse(text) as object),
    streamId: columns.stream_id,
    version: columns.sequence,
    statusRaw: columns.to_status,
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}
