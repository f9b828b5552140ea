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
  /** Ends the subscription and tells the router that it was interrupted. */
  interrupt(): void
  /** Resolves when the last message has been sent or given up. */
  readonly ended: Promise<void>
}

/** Attempts for a message before the router counts as unreachable. */
const ATTEMPTS = 3
/** Milliseconds between the first two attempts; doubled after each. */
const RETRY_MS = 200
/** The fraction of the agreed interval after which a heartbeat is sent: some routers end the stream exactly at the interval. */
const HEARTBEAT_PART = 0.75

/**
 * Sends the results of one subscription to a router, one at a time: the next is executed after the last was accepted. Ends when the
 * router no longer has the subscription, or accepts a message in none of a few attempts. A message whose response was lost is sent
 * again; the router's clients recognise it by its cursor.
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
  /** Messages are sent one after another. */
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
      // The result that ends a stream has errors and no cursor.
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

/** Returns the list of errors of a result, as JSON. */
function errorsIn(json: string): string {
  return JSON.stringify((JSON.parse(json) as { readonly errors?: readonly unknown[] }).errors ?? [])
}
