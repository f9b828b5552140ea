/** On whose account a stream is counted. */
export type StreamAccount = {
  /** One payer's right to follow one link or payment; null for a caller whose scopes give the right. */
  readonly payer: string | null
  /** The caller of a token, over everything that it follows; null for one that cannot be told apart. */
  readonly caller: string | null
}

/** One open stream. */
export type StreamMember = StreamAccount & {
  /** Ends the stream, in favour of a newer one of its payer. */
  replace(): void
}

/** The streams that are open in this process, over all transports and connections. */
export type StreamRegistry = {
  /**
   * Counts a stream; false when its caller has as many as allowed. When its payer has as many as allowed, the oldest of them
   * is replaced.
   */
  open(member: StreamMember): boolean
  /** Ends the count of a stream, also of one that is not counted any more. */
  leave(member: StreamMember): void
}

/** How many streams may be open at once; 0 stands for any number. */
export type StreamLimits = {
  /** With one status token, or by one owner, of one link or payment. */
  readonly streamsPerToken: number
  /** With tokens of one caller. */
  readonly streamsPerSubject: number
}

/**
 * Makes the registry. A page that is loaded again leaves its last stream behind until the break of the connection is noticed,
 * which takes up to two pings: so the newest stream of a payer is the one that a person looks at, and the oldest one goes.
 * A back end holds its streams for long: there a new one is refused, and none that works is ended.
 */
export function createStreamRegistry({ streamsPerToken, streamsPerSubject }: StreamLimits): StreamRegistry {
  const payers = createGroups()
  const callers = createGroups()
  const leave = (member: StreamMember) => {
    payers.remove(member.payer, member)
    callers.remove(member.caller, member)
  }
  return {
    leave,
    open(member) {
      const { payer, caller } = member
      if (caller !== null && isFull(callers.size(caller), streamsPerSubject)) return false
      const oldest = payer !== null && isFull(payers.size(payer), streamsPerToken) ? payers.oldest(payer) : undefined
      if (oldest !== undefined) {
        leave(oldest)
        oldest.replace()
      }
      payers.add(payer, member)
      callers.add(caller, member)
      return true
    },
  }
}

function isFull(size: number, limit: number): boolean {
  return limit !== 0 && size >= limit
}

/** The members of each name, in the order in which they came. A name that has none is forgotten. */
function createGroups() {
  const groups = new Map<string, Set<StreamMember>>()
  return {
    size: (name: string) => groups.get(name)?.size ?? 0,
    oldest: (name: string): StreamMember | undefined => groups.get(name)?.values().next().value,
    add(name: string | null, member: StreamMember): void {
      if (name === null) return
      const group = groups.get(name)
      if (group === undefined) groups.set(name, new Set([member]))
      else group.add(member)
    },
    remove(name: string | null, member: StreamMember): void {
      const group = name === null ? undefined : groups.get(name)
      if (name !== null && group?.delete(member) === true && group.size === 0) groups.delete(name)
    },
  }
}
