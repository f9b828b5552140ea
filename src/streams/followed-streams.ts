import type { WakeUps } from './wake-ups.ts'

/** How many followers each stream has. */
export type FollowedStreams = {
  /** Number of followers of all streams. */
  readonly count: number
  /** Adds a follower of a stream, or of the whole log (null). */
  open(streamId: string | null): void
  leave(streamId: string | null): void
}

/** Has wake-ups follow each stream from its first follower to its last. */
export function createFollowedStreams({ follow, unfollow }: Pick<WakeUps, 'follow' | 'unfollow'>): FollowedStreams {
  const counts = new Map<string | null, number>()
  let count = 0
  return {
    get count() {
      return count
    },
    open(streamId) {
      count += 1
      const others = counts.get(streamId) ?? 0
      counts.set(streamId, others + 1)
      if (others === 0) follow(streamId)
    },
    leave(streamId) {
      count -= 1
      const others = (counts.get(streamId) ?? 0) - 1
      if (others > 0) counts.set(streamId, others)
      else {
        counts.delete(streamId)
        unfollow(streamId)
      }
    },
  }
}
