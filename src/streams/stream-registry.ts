import { LONGEST_MS } from '../lib/timers.ts'
import type { LimitUse } from '../observability/metrics/metrics.ts'
import { SHARE_NOTHING, type ShareCounts, type SharedCounts } from '../redis/shared-counts.ts'

/** Whose limits a stream counts against. */
export type StreamAccount = {
  /** Key of a payer's grant for one link or payment; null if the caller's scopes allow the stream. */
  readonly payer: string | null
  /** Key of the token's caller; null if the token names neither a subject nor a client. */
  readonly caller: string | null
}

/** One open stream. */
export type StreamMember = StreamAccount & {
  /** Ends the stream because a newer stream of its payer replaces it. */
  replace(): void
}

/** The open streams of this process, over all transports and connections. */
export type StreamRegistry = {
  /**
   * Adds a stream. Returns false if its caller has reached the limit. If its payer has reached the limit, the payer's oldest
   * stream is replaced.
   */
  open(member: StreamMember): boolean
  /** Removes a stream; does nothing if it is not registered. */
  leave(member: StreamMember): void
  /** Returns how much of the limits per status token and per caller is used. */
  limits(): Readonly<Record<'subscriptions_per_token' | 'subscriptions_per_caller', LimitUse>>
}

/** How many streams may be open at once; 0 means no limit. */
export type StreamLimits = {
  /** Per status token, or per owner, of one link or payment. */
  readonly streamsPerToken: number
  /** Per caller, over all of its tokens. */
  readonly streamsPerSubject: number
}

/**
 * Creates the registry. A reloaded page leaves its previous stream open until the broken connection is noticed, which takes up to two
 * ping intervals. The newest stream of a payer is therefore the one in use, and the oldest is replaced. Back ends keep their streams
 * open for long: for them the new stream is refused, and none that works is ended. Streams at other nodes count too, but are not
 * replaced: a payer without a stream at this node gets one.
 */
export function createStreamRegistry(
  { streamsPerToken, streamsPerSubject }: StreamLimits,
  share: ShareCounts = SHARE_NOTHING,
  onTurnedAway: (reason: 'subscriptions_per_caller') => void = () => {},
): StreamRegistry {
  const payers = createGroups(share('streams-token', streamsPerToken))
  const callers = createGroups(share('streams-subject', streamsPerSubject))
  const leave = (member: StreamMember) => {
    payers.remove(member.payer, member)
    callers.remove(member.caller, member)
  }
  return {
    leave,
    limits: () => ({
      subscriptions_per_token: { used: payers.most(), maximum: streamsPerToken },
      subscriptions_per_caller: { used: callers.most(), maximum: streamsPerSubject },
    }),
    open(member) {
      const { payer, caller } = member
      if (caller !== null && isFull(callers.size(caller), streamsPerSubject)) {
        onTurnedAway('subscriptions_per_caller')
        return false
      }
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

/** Members by name, in insertion order. Names without members are removed. */
function createGroups(shared: SharedCounts) {
  const groups = new Map<string, Set<StreamMember>>()
  return {
    /** Of all nodes. */
    size: (name: string) => (groups.get(name)?.size ?? 0) + shared.others(name),
    /** Of the name with most members. */
    most: () => groups.values().reduce((most, { size }) => Math.max(most, size), 0),
    oldest: (name: string): StreamMember | undefined => groups.get(name)?.values().next().value,
    add(name: string | null, member: StreamMember): void {
      if (name === null) return
      const group = groups.get(name)
      if (group === undefined) groups.set(name, new Set([member]))
      else group.add(member)
      shared.set(name, group === undefined ? 1 : group.size)
    },
    remove(name: string | null, member: StreamMember): void {
      const group = name === null ? undefined : groups.get(name)
      if (name === null || group?.delete(member) !== true) return
      if (group.size === 0) groups.delete(name)
      shared.set(name, group.size)
    },
  }
}

/** An object with an expiry. Each may be added once at a time. */
export type Deadline = {
  /** Milliseconds since the epoch. Must not change while it is registered. */
  readonly endsAt: number
  /** Called once, not before `endsAt`, from a timer. Does not throw. */
  onEnd(): void
}

/** Calls `onEnd` of any number of deadlines, with one timer for those of the same instant: tokens of one issuer often expire together. */
export type Deadlines = {
  add(deadline: Deadline): void
  /** Removes a deadline; does nothing if it is not registered. */
  remove(deadline: Deadline): void
}

/** How many deadlines are called per timer callback. */
const TURN = 64

/** Creates the deadlines. `now` returns milliseconds since the epoch. */
export function createDeadlines(now: () => number = Date.now): Deadlines {
  type Group = { readonly members: Set<Deadline>; timer: NodeJS.Timeout }
  const groups = new Map<number, Group>()
  const arm = (endsAt: number) => setTimeout(fire, Math.min(Math.max(endsAt - now(), 0), LONGEST_MS), endsAt).unref()
  const remove = (deadline: Deadline) => {
    const group = groups.get(deadline.endsAt)
    if (group?.members.delete(deadline) !== true || group.members.size > 0) return
    clearTimeout(group.timer)
    groups.delete(deadline.endsAt)
  }
  const fire = (endsAt: number) => {
    const group = groups.get(endsAt)
    if (group === undefined) return
    for (const deadline of endsAt > now() ? [] : group.members.values().take(TURN)) {
      remove(deadline)
      deadline.onEnd()
    }
    if (group.members.size > 0) group.timer = arm(endsAt)
  }

  return {
    add(deadline) {
      const { endsAt } = deadline
      const group = groups.get(endsAt)
      if (group === undefined) groups.set(endsAt, { members: new Set([deadline]), timer: arm(endsAt) })
      else group.members.add(deadline)
    },
    remove,
  }
}
