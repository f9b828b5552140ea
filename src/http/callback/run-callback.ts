import { setTimeout as sleep } from 'node:timers/promises'
import { expired, type Caller } from '../../access/caller.ts'
import { StreamInterrupted, type Answer, type AnswerStream } from '../../graphql/engine/request-outcome.ts'
import type { Logger } from '../../observability/logger.ts'
import type { TokenEnds } from '../connections/token-end.ts'
import type { Interruption, InterruptionTexts } from '../response-streams/interruptions.ts'
import type { Callback } from './callback.ts'
import type { CallbackMessage, RouterClient } from './router-client.ts'

export type CallbackParts = {
  readonly callback: Callback
  readonly router: Pick<RouterClient, 'send'>
  readonly caller: Caller
  readonly token: string | null
  readonly tokenEnds: TokenEnds
  readonly interruptions: InterruptionTexts
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
export function runCallback(outcome: Answer | AnswerStream, parts: CallbackParts): RunningCallback {
  const { callback, router, caller, token, tokenEnds, interruptions, logger, clock } = parts
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const stream = outcome.kind === 'stream' ? outcome : null
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
    tokenEnds.unwatch(holder)
    await stream?.return()
    if (message !== null) await tell(message)
    resolve()
  }
  const interrupt = (reason: Interruption) => void finish({ action: 'complete', errors: interruptions[reason] })
  const holder = { caller, token, onTokenEnd: interrupt }

  let checking = false
  const check = async () => {
    if (checking) return
    checking = true
    if (!(await tell({ action: 'check' }))) await finish(null)
    checking = false
  }
  const heartbeat =
    callback.heartbeatMs === 0 ? undefined : setInterval(() => void check(), callback.heartbeatMs * HEARTBEAT_PART)
  tokenEnds.watch(holder)

  const run = async () => {
    if (outcome.kind === 'answer') return finish({ action: 'complete', errors: errorsIn(outcome.json) })
    while (!over) {
      const { value, done } = await outcome.next()
      if (over) break
      if (done === true)
        return expired(caller, clock().getTime()) ? interrupt('expired') : finish({ action: 'complete' })
      // The answer that ends a stream has errors and no place in it.
      if (value.cursor === null) return finish({ action: 'complete', errors: errorsIn(value.json) })
      if (!(await tell({ action: 'next', payload: value.json }))) return finish(null)
    }
  }
  run().catch((error: unknown) => {
    if (!(error instanceof StreamInterrupted)) logger.error({ err: error }, 'a subscription with callbacks failed')
    interrupt('interrupted')
  })
  return { ended, interrupt: () => interrupt('interrupted') }
}

/** The list of errors of an answer, as JSON. */
function errorsIn(json: string): string {
  return JSON.stringify((JSON.parse(json) as { readonly errors?: readonly unknown[] }).errors ?? [])
}
