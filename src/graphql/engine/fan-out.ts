import type { OperationDefinitionNode } from 'graphql'
import { ANONYMOUS, expired, type Caller, type ClientCaller } from '../../access/caller.ts'
import { ALL_SCOPES } from '../../access/scopes.ts'
import type { Logger } from '../../observability/logger.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import { createContext, type Context, type Services } from '../context.ts'
import type { ExecutableOperation } from '../execution/executor.ts'
import { createItemAnswer, type ItemAnswer } from './item-answer.ts'
import { sharedVariables, type SharedVariables } from './shared-variables.ts'

/** Executes an operation for the item of a stream, under its field's name, and returns the response as JSON. */
export type AnswerItem = (
  operation: ExecutableOperation,
  context: Context,
  item: Readonly<Record<string, StreamItem>>,
) => Promise<string> | string

/** A subscription of one caller. */
export type Subscription = {
  readonly operation: ExecutableOperation
  /** The name of its root field. */
  readonly field: string
  readonly caller: Caller
}

/** Answers the items of streams: once for all streams that ask for the same with equal rights. */
export type FanOut = {
  /** The answers to a subscription. Each call is followed by one of `leave`. */
  join(subscription: Subscription): Answers
  leave(answers: Answers): void
}

/** The answers to the items of one subscription. */
export type Answers = {
  readonly subscription: Subscription
  answer(item: StreamItem): ItemAnswer
}

export type FanOutOptions = {
  readonly services: Services
  readonly answerItem: AnswerItem
  /** Whether streams share executions. Otherwise each item is executed for each stream, by its own caller. */
  readonly isShared: boolean
  readonly logger: Logger
}

/**
 * How many answers of a group are kept, and for how many milliseconds: what an answer says may depend on the time. A crowd asks
 * for the same one within less.
 */
const KEPT = 64
const KEPT_MS = 1_000

/** A position that no event has. Its cursor stands in a shared answer where each stream has its own `previousCursor`. */
const ANY_POSITION = Number.MAX_SAFE_INTEGER

/**
 * Makes the answers for all streams of a process. Streams of one operation, with equal variables below its root field and
 * callers of equal rights, form a group as long as one of them is open. An item is executed once for a group, by a caller with
 * the rights that all of them have, who is none of them: it has no subject and no identity, and holds no status token.
 */
export function createFanOut({ services, answerItem, isShared, logger }: FanOutOptions): FanOut {
  const { cursors, scheduler } = services
  const cursorOf = (position: number) => cursors.encode('log', position)
  const operations = new WeakMap<OperationDefinitionNode, Groups>()
  const make = ({ operation, field, caller }: Subscription, item: StreamItem): ItemAnswer => {
    const isTemplate = isShared && item.previous !== null
    const text = () =>
      answerItem(operation, createContext(services, caller, undefined), {
        [field]: isTemplate ? { ...item, previous: ANY_POSITION } : item,
      })
    return createItemAnswer(text, {
      cursor: item.kind === 'RESYNC_REQUIRED' ? '' : cursorOf(item.position),
      template: isTemplate ? { placeholder: cursorOf(ANY_POSITION), cursorOf } : null,
      scheduler,
      logger,
    })
  }
  const shared: GroupParts = { make, logEnd: () => services.tail.end, sweep: createSweep() }
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
 * What of a caller the answer to an item may depend on, as a text: whether it has shown a token, the scopes of that, and
 * whether it has expired. By the clock that tokens are verified by.
 */
function rightsOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return 'anonymous'
  const scopes = ALL_SCOPES.filter((scope) => caller.scopes.has(scope))
  return `${expired(caller, Date.now()) ? 'expired' : 'client'} ${scopes.join(' ')}`
}

/** A caller that has these rights and nothing else. */
function callerWith(rights: string, caller: Caller): Caller {
  if (caller.kind === 'anonymous') return ANONYMOUS
  const expiresAt = rights.startsWith('expired') ? 0 : Infinity
  return Object.freeze<ClientCaller>({
    kind: 'client',
    subject: null,
    identity: null,
    scopes: new Set(caller.scopes),
    expiresAt,
  })
}

type GroupParts = {
  readonly make: (subscription: Subscription, item: StreamItem) => ItemAnswer
  /** Position of the newest event: each may change what is read for an item. */
  readonly logEnd: () => number
  readonly sweep: Sweep
}

type Kept = { readonly answer: ItemAnswer; readonly at: number }

/** Streams whose items have equal answers. */
class Group implements Answers {
  readonly key: string
  readonly subscription: Subscription
  /** How many are open. */
  streams = 0
  readonly #parts: GroupParts
  /** The last answers since the log has grown, the oldest first. */
  readonly #kept = new Map<number, Kept>()
  #logEnd = 0

  constructor(key: string, subscription: Subscription, parts: GroupParts) {
    this.key = key
    this.subscription = subscription
    this.#parts = parts
  }

  answer(item: StreamItem): ItemAnswer {
    const { make, logEnd, sweep } = this.#parts
    const key = keyOf(item)
    if (key === null) return make(this.subscription, item)
    if (this.#logEnd !== logEnd()) {
      this.#kept.clear()
      this.#logEnd = logEnd()
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

  /** Drops the answers from before an instant; false once none is left. */
  dropBefore(instant: number): boolean {
    for (const [key, { at }] of this.#kept) if (at < instant) this.#kept.delete(key)
    return this.#kept.size > 0
  }

  #dropOldest(): void {
    if (this.#kept.size <= KEPT) return
    for (const key of this.#kept.keys()) return void this.#kept.delete(key)
  }
}

/** What tells an item from the others of its group; null for one that was made for one stream. */
function keyOf({ kind, position, previous }: StreamItem): number | null {
  if (kind === 'SNAPSHOT' || kind === 'RESYNC_REQUIRED') return null
  return position * 4 + (kind === 'EVENT' ? 2 : 0) + (previous === null ? 1 : 0)
}

/** Sees to it that the answers of a group are dropped in time. */
type Sweep = (group: Group) => void

/** One timer for all groups, which runs as long as one of them keeps an answer. */
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
