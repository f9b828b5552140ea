import type { OperationDefinitionNode } from 'graphql'
import type { ExecutableOperation } from 'graphql-plan'
import { ANONYMOUS, expired, type Caller, type ClientCaller, ALL_SCOPES } from '../../access/caller.ts'
import type { Piece, SliceScheduler } from '../../lib/slice-scheduler.ts'
import type { Logger } from '../../observability/logger.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import { createContext, type Context, type Services } from '../context.ts'
import type { StreamAnswer } from './request-outcome.ts'
import { sharedVariables, type SharedVariables } from './shared-variables.ts'

/** Executes an operation for one item of a stream, given as the value of its root field. Returns the response as JSON. */
export type AnswerItem = (
  operation: ExecutableOperation,
  context: Context,
  item: Readonly<Record<string, StreamItem>>,
) => Promise<string> | string

/** A subscription of one caller. */
export type Subscription = {
  readonly operation: ExecutableOperation
  /** Name of its root field. */
  readonly field: string
  readonly caller: Caller
}

/** Executes the items of streams: once for all streams with equal operations and equal rights. */
export type FanOut = {
  /** Returns the answers for a subscription. Each call must be followed by a call of `leave`. */
  join(subscription: Subscription): Answers
  leave(answers: Answers): void
}

/** Creates the answers to the items of one subscription. */
export type Answers = {
  readonly subscription: Subscription
  answer(item: StreamItem): ItemAnswer
}

export type FanOutOptions = {
  readonly services: Services
  readonly answerItem: AnswerItem
  /** True if streams share executions. If false, each item is executed for each stream with the stream's own caller. */
  readonly isShared: boolean
  readonly logger: Logger
}

/**
 * Maximum number of kept answers of a group, and their maximum age in milliseconds. The age is limited because an answer may depend
 * on the time. Subscribers of the same event request its answer within less time.
 */
const KEPT = 64
const KEPT_MS = 1_000

/** A position that no event has. Its cursor is the placeholder in a shared answer for the `previousCursor` of each stream. */
const ANY_POSITION = Number.MAX_SAFE_INTEGER

/**
 * Creates the fan-out of a process. Streams of one operation, with equal variables below its root field and callers of equal rights, form
 * a group as long as one of them is open. An item is executed once per group, for an artificial caller with exactly these rights:
 * it has no subject, no identity and no status token.
 */
export function createFanOut({ services, answerItem, isShared, logger }: FanOutOptions): FanOut {
  const { cursors, scheduler } = services
  const { states } = services.tail
  const cursorOf = (position: number) => cursors.encode('log', position)
  const operations = new WeakMap<OperationDefinitionNode, Groups>()
  const make = ({ operation, field, caller }: Subscription, item: StreamItem): ItemAnswer => {
    const isTemplate = isShared && item.previous !== null
    if (item.kind === 'SNAPSHOT') states.add(item)
    if (item.kind === 'EVENT') states.update(item.event)
    const text = () =>
      answerItem(operation, createContext(services, caller, { isItem: true }), {
        [field]: isTemplate ? { ...item, previous: ANY_POSITION } : item,
      })
    return createItemAnswer(text, {
      cursor: item.kind === 'RESYNC_REQUIRED' ? '' : cursorOf(item.position),
      template: isTemplate ? { placeholder: cursorOf(ANY_POSITION), cursorOf } : null,
      scheduler,
      logger,
    })
  }
  const shared: GroupParts = { make, changes: () => services.tail.end + states.replaced, sweep: createSweep() }
  const groupsOf = ({ operation: { document, node } }: Subscription): Groups => {
    const known = operations.get(node)
    if (known !== undefined) return known
    const made = { sharedOf: sharedVariables(document, node), groups: new Map<string, Group>() }
    operations.set(node, made)
    return made
  }

  if (!isShared)
    return {
      join: (subscription) => ({ subscription, answer: (item) => make(subscription, item) }),
      leave: () => {},
    }
  return {
    join(subscription) {
      const { sharedOf, groups } = groupsOf(subscription)
      const { document, node, variables, request } = subscription.operation
      const given = sharedOf(request.variables)
      const rights = rightsOf(subscription.caller)
      const key = `${rights} ${JSON.stringify(given)}`
      const operation = { document, node, variables: sharedOf(variables), request: { variables: given } }
      const caller = callerWith(rights, subscription.caller)
      const group = groups.get(key) ?? new Group(key, { ...subscription, operation, caller }, shared)
      groups.set(key, group)
      group.streams += 1
      return group
    },
    leave(answers) {
      if (!(answers instanceof Group)) return
      answers.streams -= 1
      if (answers.streams === 0) groupsOf(answers.subscription).groups.delete(answers.key)
    },
  }
}

type Groups = { readonly sharedOf: SharedVariables; readonly groups: Map<string, Group> }

/**
 * Returns the part of a caller on which an answer may depend, as a string: whether there is a token, its scopes, and whether the
 * token has expired by the clock that verifies tokens.
 */
function rightsOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return 'anonymous'
  const scopes = ALL_SCOPES.filter((scope) => caller.scopes.has(scope))
  return `${expired(caller, Date.now()) ? 'expired' : 'client'} ${scopes.join(' ')}`
}

/** Returns a caller with only these rights. */
function callerWith(rights: string, caller: Caller): Caller {
  if (caller.kind === 'anonymous') return ANONYMOUS
  const expiresAt = rights.startsWith('expired') ? 0 : Infinity
  return Object.freeze<ClientCaller>({
    kind: 'client',
    subject: null,
    name: null,
    identity: null,
    scopes: new Set(caller.scopes),
    expiresAt,
  })
}

type GroupParts = {
  readonly make: (subscription: Subscription, item: StreamItem) => ItemAnswer
  /** Returns a number that rises with each event, and with each newer state: both may change what an execution reads. */
  readonly changes: () => number
  readonly sweep: Sweep
}

type Kept = { readonly answer: ItemAnswer; readonly at: number }

/** Streams whose items have equal answers. */
class Group implements Answers {
  readonly key: string
  readonly subscription: Subscription
  /** Number of open streams. */
  streams = 0
  readonly #parts: GroupParts
  /** The latest answers since the last change, oldest first. */
  readonly #kept = new Map<number, Kept>()
  #changes = 0

  constructor(key: string, subscription: Subscription, parts: GroupParts) {
    this.key = key
    this.subscription = subscription
    this.#parts = parts
  }

  answer(item: StreamItem): ItemAnswer {
    const { make, changes, sweep } = this.#parts
    const key = keyOf(item)
    if (key === null) return make(this.subscription, item)
    if (this.#changes !== changes()) {
      this.#kept.clear()
      this.#changes = changes()
    }
    const at = performance.now()
    const kept = this.#kept.get(key)
    if (kept !== undefined && at - kept.at < KEPT_MS) return kept.answer
    const answer = make(this.subscription, item)
    this.#kept.delete(key)
    this.#kept.set(key, { answer, at })
    this.#dropOldest()
    sweep(this)
    return answer
  }

  /** Drops answers that were created before an instant. Returns false if none is left. */
  dropBefore(instant: number): boolean {
    for (const [key, { at }] of this.#kept) if (at < instant) this.#kept.delete(key)
    return this.#kept.size > 0
  }

  #dropOldest(): void {
    if (this.#kept.size <= KEPT) return
    for (const key of this.#kept.keys()) return void this.#kept.delete(key)
  }
}

/** Key of an item within its group; null for an item that exists for one stream only. */
function keyOf({ kind, position, previous }: StreamItem): number | null {
  if (kind === 'SNAPSHOT' || kind === 'RESYNC_REQUIRED') return null
  return position * 4 + (kind === 'EVENT' ? 2 : 0) + (previous === null ? 1 : 0)
}

/** Registers a group, so that its answers are dropped after `KEPT_MS`. */
type Sweep = (group: Group) => void

/** Creates one timer for all groups; it runs as long as a group keeps an answer. */
function createSweep(): Sweep {
  const groups = new Set<Group>()
  let timer: NodeJS.Timeout | undefined
  const arm = () => (timer = groups.size === 0 ? undefined : setTimeout(sweep, KEPT_MS).unref())
  const sweep = () => {
    const before = performance.now() - KEPT_MS
    for (const group of groups) if (!group.dropBefore(before)) groups.delete(group)
    arm()
  }
  return (group) => {
    groups.add(group)
    if (timer === undefined) arm()
  }
}

/** The answer to an item; complete, failed or in progress. */
export type ItemAnswer = {
  /** Returns whether it is complete or has failed. If not, `piece` runs once it is. */
  isMade(piece: Piece): boolean
  /** Returns the answer for a stream with this item. Null if it has failed, or is not complete. */
  answerFor(item: StreamItem): StreamAnswer | null
}

export type ItemAnswerOptions = {
  /** Cursor from which a stream resumes after the item. */
  readonly cursor: string
  /** The placeholder for the cursor of each stream's previous item, and its replacement; null without a placeholder. */
  readonly template: { readonly placeholder: string; readonly cursorOf: (position: number) => string } | null
  readonly scheduler: Pick<SliceScheduler, 'push'>
  readonly logger: Logger
}

/** Creates an answer from `text`, which returns its JSON. A failure is logged once. */
function createItemAnswer(text: () => Promise<string> | string, options: ItemAnswerOptions): ItemAnswer {
  const answer = new MadeAnswer(options)
  try {
    const json = text()
    if (typeof json === 'string') answer.finish(json)
    else json.then((made) => answer.finish(made), answer.fail)
  } catch (error) {
    answer.fail(error)
  }
  return answer
}

class MadeAnswer implements ItemAnswer {
  readonly #options: ItemAnswerOptions
  #waiting: Piece[] | null = []
  /** The text around the placeholders of `previousCursor`; null until the answer is complete, and if it has failed. */
  #parts: readonly string[] | null = null
  #lastPrevious: number | null = null
  #last: StreamAnswer | null = null

  constructor(options: ItemAnswerOptions) {
    this.#options = options
  }

  isMade(piece: Piece): boolean {
    this.#waiting?.push(piece)
    return this.#waiting === null
  }

  answerFor({ previous }: StreamItem): StreamAnswer | null {
    const parts = this.#parts
    if (parts === null) return null
    if (this.#last !== null && (parts.length === 1 || previous === this.#lastPrevious)) return this.#last
    const { cursor, template } = this.#options
    const json = template === null || previous === null ? parts.join('') : parts.join(template.cursorOf(previous))
    this.#lastPrevious = previous
    this.#last = Object.freeze({ json, cursor })
    return this.#last
  }

  finish(json: string): void {
    const { template } = this.#options
    this.#parts = template === null ? [json] : json.split(template.placeholder)
    this.#runWaiting()
  }

  readonly fail = (error: unknown): void => {
    this.#options.logger.error({ err: error }, 'an item of a stream could not be executed')
    this.#runWaiting()
  }

  #runWaiting(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    const [first, ...others] = waiting
    first?.run()
    // The scheduler runs the other subscribers in time slices, so that they do not block the event loop.
    for (const piece of others) this.#options.scheduler.push(piece)
  }
}
