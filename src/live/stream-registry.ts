/** On whose account a stream is counted. */
export type StreamAccount = {
  /** One payer's right to follow one link or payment; null for a caller whose scopes give the right. */
  readonly payer: string | null
  /** The caller of a token, over everything that it follows; null for one that cannot be told apart. */
  readonly caller: string | null
}

/** The streams that are open in this process, over all transports and connections. */
export type StreamRegistry = {
  /**
   * Counts a stream, and gives the function that ends the count; null when its caller has as many as allowed. When its payer
   * has as many as allowed, the oldest of them is ended by the function that it came with.
   */
  open(account: StreamAccount, end: () => void): (() => void) | null
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
  return {
    open({ payer, caller }, end) {
      if (caller !== null && isFull(callers.size(caller), streamsPerSubject)) return null
      if (payer !== null && isFull(payers.size(payer), streamsPerToken)) payers.takeOldest(payer)?.()
      const leavePayer = payer === null ? null : payers.add(payer, end)
      const leaveCaller = caller === null ? null : callers.add(caller, end)
      return () => {
        leavePayer?.()
        leaveCaller?.()
      }
    },
  }
}

function isFull(size: number, limit: number): boolean {
  return limit !== 0 && size >= limit
}

type End = () => void

/** What each name has, in the order in which it came. A name that has nothing is forgotten. */
function createGroups() {
  const groups = new Map<string, Set<{ readonly end: End }>>()
  const remove = (name: string, member: { readonly end: End }) => {
    const group = groups.get(name)
    group?.delete(member)
    if (group?.size === 0) groups.delete(name)
  }
  return {
    size: (name: string) => groups.get(name)?.size ?? 0,
    add(name: string, end: End): () => void {
      const member = { end }
      const group = groups.get(name) ?? new Set()
      groups.set(name, group.add(member))
      return () => remove(name, member)
    },
    takeOldest(name: string): End | undefined {
      const [oldest] = groups.get(name) ?? []
      if (oldest !== undefined) remove(name, oldest)
      return oldest?.end
    },
  }
}
