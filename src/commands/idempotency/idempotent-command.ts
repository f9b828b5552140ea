import type { Command } from '../../domain/command.ts'
import { fingerprint, sameFingerprint, type KeyRing } from '../../keys/key-ring.ts'
import type { Store } from '../../ledger/store.ts'
import { withTimeout } from '../../lib/timers.ts'
import {
  type CommandFailure,
  type Rejection,
  faultOf,
  nothingDone,
  rejection,
} from '../../lookups/operation-outcome.ts'
import type { Logger } from '../../observability/logger.ts'
import { COMMAND_PATIENCE_MS } from '../../upstream/client/transport.ts'
import { IncompleteSearchError } from '../../upstream/endpoints/agreement-endpoints.ts'
import type { CommandOutcome, Task } from './task.ts'

type KeyedTask = Pick<Task<unknown, unknown>, 'mutation' | 'key'>

export type IdempotencyOptions = {
  readonly commands: Store['commands']
  readonly keys: KeyRing
  readonly logger: Logger
  readonly clock: () => Date
  /** Unique name of this process, recorded with its leases. */
  readonly owner: string
  readonly newId: () => string
  /** Rejects if the result of a command could not be recorded: then it is not sent. */
  readonly assertWritable: () => Promise<void>
  /** Returns the current span; null without traces. */
  readonly traceparent: () => string | null
  /** Is told the outcome of each use of a key that was sent or replayed. */
  readonly onEnded: (mutation: string, outcome: string) => void
  /** Makes the correlation id of an attempt. */
  readonly newCorrelationId: () => string
}

/** The owner of idempotency keys. */
export type KeyHolder = {
  /** The same for all tokens of one caller, and for no other caller. Never empty. */
  readonly keyScope: string
}

export type IdempotentCommands = {
  /** Returns the outcome of an earlier use of the task's key, or null if the key is new. */
  earlier<Answer, Result>(task: Task<Answer, Result>): Promise<CommandOutcome<Result> | null>
  /** Runs the task, unless its key was used before; then returns the earlier outcome. */
  run<Answer, Result>(task: Task<Answer, Result>): Promise<CommandOutcome<Result>>
}

/** The search for the outcome failed or was cut short. */
const UNCLEAR = Symbol('unclear')

/** Longer than the upstream client's own deadline for a POST, so that a lease never ends under a call. */
const LEASE_MS = 30_000

/** The commands of a process. */
type ProcessCommands = {
  /** Returns the commands of a caller, who waits for an outcome for `patienceMs` milliseconds at most. Default: 8,000. */
  of(holder: KeyHolder, patienceMs?: number): IdempotentCommands
  /** Marks the attempts UNKNOWN that are still under way when the process ends, so that a repeat does not wait for the end of their leases. */
  close(): Promise<void>
}

/** What runs in this process: the commands by idempotency key, and the ids of those that were sent. */
type UnderWay = {
  readonly byKey: Map<string, { readonly input: string; readonly outcome: Promise<CommandOutcome<unknown>> }>
  readonly sent: Set<string>
}

/**
 * Runs each command of a caller at most once. The command is recorded before the call; the record is ended with the result. An
 * attempt whose outcome is unknown is marked UNKNOWN: it is sent again only after a search for its outcome.
 */
export function createIdempotentCommands(options: IdempotencyOptions): ProcessCommands {
  const underWay: UnderWay = { byKey: new Map(), sent: new Set() }
  return {
    of: (holder, patienceMs = COMMAND_PATIENCE_MS) =>
      idempotentCommandsOf({ ...holder, patienceMs }, options, underWay),
    async close() {
      await Promise.all(Array.from(underWay.sent, (id) => options.commands.markUnknown(id)))
    },
  }
}

function idempotentCommandsOf(
  { keyScope, patienceMs }: KeyHolder & { readonly patienceMs: number },
  {
    commands,
    keys,
    logger,
    clock,
    owner,
    newId,
    newCorrelationId: newRef,
    assertWritable,
    traceparent,
    onEnded,
  }: IdempotencyOptions,
  { byKey: running, sent }: UnderWay,
): IdempotentCommands {
  const slot = ({ mutation, key }: KeyedTask) => JSON.stringify([keyScope, mutation, key])

  const recorded = ({ mutation, key }: KeyedTask) => commands.find({ mutation, key, keyScope })

  const earlier: IdempotentCommands['earlier'] = async (task) => {
    if (running.has(slot(task))) return inTurn(task, () => start(task))
    const command = await recorded(task)
    return command === null ? null : inTurn(task, () => resume(task, command))
  }

  const run: IdempotentCommands['run'] = (task) => inTurn(task, () => start(task))

  /** Runs one use of a key at a time within this process; concurrent uses wait for it and get its outcome. */
  const inTurn = async <Answer, Result>(
    task: Task<Answer, Result>,
    work: () => Promise<CommandOutcome<Result>>,
  ): Promise<CommandOutcome<Result>> => {
    const first = running.get(slot(task))
    if (first === undefined) {
      // Made before the work begins: if it threw afterwards, nobody would hold the promise of the work.
      const input = fingerprint(keys, task.input)
      const outcome = counted(task, work()).finally(() => running.delete(slot(task)))
      running.set(slot(task), { input, outcome })
      return (await withTimeout(outcome, patienceMs, () => null)) ?? stillOpen(task)
    }
    if (!sameFingerprint(keys, task.input, first.input)) return conflict(false)
    const outcome = await withTimeout(first.outcome as Promise<CommandOutcome<Result>>, patienceMs, () => null)
    if (outcome === null) return conflict(true)
    return outcome.kind === 'done' ? { ...outcome, replayed: true } : outcome
  }

  const counted = <Result>({ mutation }: KeyedTask, outcome: Promise<CommandOutcome<Result>>) =>
    outcome.then(
      (known) => {
        onEnded(mutation, known.kind === 'done' && known.replayed ? 'replayed' : known.kind)
        return known
      },
      (error: unknown) => {
        onEnded(mutation, 'failed')
        throw error
      },
    )

  /**
   * The caller gets an answer before its own timeout. The command continues, and a retry with the same key returns its outcome.
   */
  const stillOpen = async (task: KeyedTask): Promise<CommandFailure> => {
    const command = await recorded(task)
    return command === null ? conflict(true) : unknown(command)
  }

  const start = async <Answer, Result>(task: Task<Answer, Result>): Promise<CommandOutcome<Result>> => {
    const command = await recorded(task)
    return command === null ? begin(task) : resume(task, command)
  }

  const begin = async <Answer, Result>(task: Task<Answer, Result>): Promise<CommandOutcome<Result>> => {
    await assertWritable()
    const sentAt = clock().getTime()
    const { command, fresh } = await commands.begin({
      id: newId(),
      mutation: task.mutation,
      key: task.key,
      keyScope,
      fingerprint: fingerprint(keys, task.input),
      ref: newRef(),
      refKind: task.refKind,
      subject: task.subject,
      requested: task.requested,
      ownerId: task.ownerId,
      traceparent: traceparent(),
      site: task.site,
      owner,
      leaseUntil: sentAt + LEASE_MS,
      sentAt,
    })
    return fresh ? send(task, command) : resume(task, command)
  }

  const resume = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
  ): Promise<CommandOutcome<Result>> => {
    if (!sameFingerprint(keys, task.input, command.fingerprint)) return conflict(false)
    if (command.state === 'SETTLED') return replay(task, command)
    if (command.state === 'REJECTED') return command.result as Rejection
    if (command.state === 'ABANDONED') return sendAgain(task, command, 'ABANDONED')
    if (command.state === 'SENT') {
      if (command.leaseUntil > clock().getTime()) return conflict(true)
      await commands.markUnknown(command.id)
    }
    return lookFor(task, command)
  }

  const replay = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
  ): Promise<CommandOutcome<Result>> => {
    try {
      const result = await task.replay(command)
      return result === null ? unknown(command) : { kind: 'done', result, replayed: true }
    } catch (error) {
      const fault = faultOf(error)
      if (fault === null) throw error
      return fault.kind === 'refused' ? unknown(command) : nothingDone(fault, task.site)
    }
  }

  /** A search that fails or is cut short is no proof that nothing was made. */
  const look = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
  ): Promise<Answer | null | typeof UNCLEAR> => {
    try {
      return await task.findOutcome(command)
    } catch (error) {
      if (faultOf(error) === null && !(error instanceof IncompleteSearchError)) throw error
      logger.warn(
        { mutation: task.mutation, commandId: command.id, site: task.site, err: error },
        'the outcome could not be looked up',
      )
      return UNCLEAR
    }
  }

  const lookFor = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
  ): Promise<CommandOutcome<Result>> => {
    const answer = await look(task, command)
    // If the payments API keeps the key unique, another attempt does no harm.
    if (answer === UNCLEAR && task.uniqueUpstream !== true) return unknown(command)
    if (answer !== null && answer !== UNCLEAR) return settle(task, command, { answer, replayed: true })
    const sentAt = clock().getTime()
    if (task.repeatAfterMs === null || sentAt - command.sentAt < task.repeatAfterMs) return unknown(command)
    if (task.mayRepeat !== undefined && !(await task.mayRepeat(command))) {
      logger.error({ mutation: task.mutation, commandId: command.id }, 'an earlier attempt forbids a retry')
      return unknown(command)
    }
    return sendAgain(task, command, 'UNKNOWN')
  }

  const sendAgain = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
    from: 'UNKNOWN' | 'ABANDONED',
  ): Promise<CommandOutcome<Result>> => {
    await assertWritable()
    const sentAt = clock().getTime()
    const attempt = { ref: newRef(), owner, leaseUntil: sentAt + LEASE_MS, sentAt }
    if (!(await commands.retry(command.id, attempt, from))) return conflict(true)
    return send(task, { ...command, ...attempt, attempt: command.attempt + 1 })
  }

  const send = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
  ): Promise<CommandOutcome<Result>> => {
    let answer: Answer
    sent.add(command.id)
    try {
      answer = await task.send(command.ref)
    } catch (error) {
      return await ended(task, command, error)
    } finally {
      sent.delete(command.id)
    }
    return settle(task, command, { answer, replayed: false })
  }

  const settle = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
    { answer, replayed }: { answer: Answer; replayed: boolean },
  ): Promise<CommandOutcome<Result>> => {
    try {
      return { kind: 'done', result: await task.settle(command, answer), replayed }
    } catch (error) {
      // The payments API carried the command out, but the record could not be ended. After the lease expires, the outcome is
      // searched for.
      logger.error(
        { mutation: task.mutation, commandId: command.id, err: error },
        'the outcome of a command could not be recorded',
      )
      return unknown(command)
    }
  }

  const ended = async <Answer, Result>(
    task: Task<Answer, Result>,
    command: Command,
    error: unknown,
  ): Promise<CommandOutcome<Result>> => {
    const fault = faultOf(error)
    logger.warn({ mutation: task.mutation, commandId: command.id, site: task.site, err: error }, 'command failed')
    if (fault === null || fault.kind === 'unknown') {
      await commands.markUnknown(command.id)
      if (fault === null) throw error
      return unknown(command)
    }
    if (fault.kind === 'refused' && task.uniqueUpstream === true && command.attempt > 1) {
      await commands.markUnknown(command.id)
      const answer = await look(task, command)
      return answer === null || answer === UNCLEAR
        ? unknown(command)
        : settle(task, command, { answer, replayed: true })
    }
    if (fault.kind === 'refused') {
      const refusal = rejection(fault)
      await commands.reject(command.id, refusal)
      return refusal
    }
    // An earlier attempt may have taken effect: the record is kept, although the last attempt certainly did nothing.
    await (command.attempt > 1 ? commands.markUnknown(command.id) : commands.forget(command.id))
    return nothingDone(fault, task.site)
  }

  return { earlier, run }
}

function conflict(inProgress: boolean): CommandFailure {
  return { kind: 'idempotency-conflict', inProgress }
}

function unknown(command: Command): CommandFailure {
  return { kind: 'outcome-unknown', operationId: command.id }
}
