import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphQLError } from 'graphql'
import { expired, type Caller } from '../../access/caller.ts'
import type { ErrorFormatter } from '../../graphql/errors.ts'
import type { OperationResults } from '../../graphql/operation-results.ts'
import type { Logger } from '../../log.ts'
import { COME_BACK, TOKEN_ENDS, TOKEN_EXPIRED } from '../interruptions.ts'
import type { TokenEndReason } from '../token-end.ts'
import type { Callback } from './callback.ts'
import type { CallbackMessage, RouterClient } from './router-client.ts'

export type CallbackParts = {
  readonly callback: Callback
  readonly router: Pick<RouterClient, 'send'>
  readonly caller: Caller
  /** Calls the action when the caller's token ends, and returns the function that cancels it. */
  readonly onTokenEnd: (action: (reason: TokenEndReason) => void) => () => void
  /** Begins the operation. What it is given is called when the source fails. */
  readonly start: (onFailure: () => void) => Promise<OperationResults>
  readonly formatError: ErrorFormatter
  readonly logger: Logger
  readonly clock: () => Date
}

export type RunningCallback = {
  /** Tells the router that the stream is interrupted, and ends. */
  interrupt(): void
  /** Resolves when nothing more is sent. */
  readonly ended: Promise<void>
}

/** How often a message is sent before its router counts as gone. */
const ATTEMPTS = 3
/** Between the first two attempts, in milliseconds; then twice as long. */
const RETRY_MS = 200
/** The part of the agreed interval after which a sign of life goes out: some routers end the stream when the interval is over. */
const HEARTBEAT_PART = 0.75

/**
 * Tells a router the answers of one subscription, one message after another: the next is made when the last was taken. Ends
 * when the router does not want it any more, or does not take a message in a few attempts. A message whose answer was lost is
 * sent again: its cursor tells.
 */
export function runCallback(parts: CallbackParts): RunningCallback {
  const { callback, router, caller, onTokenEnd, start, formatError, logger, clock } = parts
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let results: OperationResults | null = null
  let over = false
  let last: Promise<unknown> = Promise.resolve()

  const attempts = async (message: CallbackMessage): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      if (over && message.action !== 'complete') return false
      const reception = await router.send(callback, message)
      if (reception !== 'failed' || attempt === ATTEMPTS) return reception === 'taken'
      await sleep(RETRY_MS * attempt)
    }
  }
  /** In the order in which they were told. */
  const tell = (message: CallbackMessage): Promise<boolean> => {
    const told = last.then(() => attempts(message))
    last = told
    return told
  }
  const finish = async (message: CallbackMessage | null) => {
    if (over) return
    over = true
    clearInterval(heartbeat)
    cancel()
    await results?.return()
    if (message !== null) await tell(message)
    resolve()
  }
  const interrupt = (error: GraphQLError) =>
    void finish({ action: 'complete', errors: [formatError(error.toJSON(), error)] })

  let checking = false
  const check = async () => {
    if (checking) return
    checking = true
    if (!(await tell({ action: 'check' }))) await finish(null)
    checking = false
  }
  const heartbeat =
    callback.heartbeatMs === 0 ? undefined : setInterval(() => void check(), callback.heartbeatMs * HEARTBEAT_PART)
  const cancel = onTokenEnd((reason) => interrupt(TOKEN_ENDS[reason]))

  const run = async () => {
    results = await start(() => interrupt(COME_BACK))
    while (!over) {
      const { value, done } = await results.next()
      if (over) break
      if (done === true)
        return expired(caller, clock().getTime()) ? interrupt(TOKEN_EXPIRED) : finish({ action: 'complete' })
      // A subscription that was refused has one answer and no place in a stream.
      if (value.cursor === null) return finish({ action: 'complete', errors: value.result.errors ?? [] })
      if (!(await tell({ action: 'next', payload: value.result }))) return finish(null)
    }
    await results.return()
  }
  run().catch((error: unknown) => {
    logger.error({ err: error }, 'a subscription with callbacks failed')
    interrupt(COME_BACK)
  })
  return { ended, interrupt: () => interrupt(COME_BACK) }
}
