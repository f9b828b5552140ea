/** An instant as the domain writes it, ISO 8601 in UTC with milliseconds, from the milliseconds of a column. */
export function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Milliseconds since the epoch of an ISO 8601 instant. Throws `RangeError` for what is none. */
export function fromIso(instant: string): number {
  const milliseconds = Date.parse(instant)
  if (Number.isNaN(milliseconds)) throw new RangeError('What should be an instant is none.')
  return milliseconds
}
