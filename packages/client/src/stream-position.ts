/** What a stream's item must contain to be resumed: `kind`, `cursor` and `previousCursor`, without aliases. */
export type ResumableItem = {
  readonly kind: string
  readonly cursor: string
  readonly previousCursor: string | null
}

/** The position of a stream, across connections. */
export type StreamPosition = {
  /** Cursor after which the stream continues; null before the first item, and after `RESYNC_REQUIRED`. */
  readonly cursor: string | null
  /**
   * Moves to the item. Returns `gap`, without moving, if an item between the two is missing, and `resync` if the stream cannot be continued
   * and begins anew.
   */
  take(item: ResumableItem): 'taken' | 'gap' | 'resync'
}

/** Starts at a cursor, or before the first item. */
export function createPosition(after: string | null): StreamPosition {
  let cursor = after
  /** The cursor after which the stream was opened because of a gap. What follows it now is what there is. */
  let repairedAt: string | null = null
  return {
    get cursor() {
      return cursor
    },
    take({ kind, previousCursor, ...item }) {
      if (kind === 'RESYNC_REQUIRED') {
        cursor = null
        return 'resync'
      }
      // Without a previous item it is the beginning of another stream: a library or a gateway has sent the first variables again.
      if (cursor !== null && previousCursor !== cursor && repairedAt !== cursor) {
        repairedAt = cursor
        return 'gap'
      }
      cursor = item.cursor
      return 'taken'
    },
  }
}
