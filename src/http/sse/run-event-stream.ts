import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphQLError } from 'graphql'
import { expired, type Caller } from '../../access/caller.ts'
import type { ErrorFormatter } from '../../graphql/errors.ts'
import type { OperationResults } from '../../graphql/operation-results.ts'
import type { Logger } from '../../log.ts'
import { COME_BACK, TOKEN_ENDS, TOKEN_EXPIRED } from '../interruptions.ts'
import type { TokenEndReason } from '../token-end.ts'
import type { EventPeer } from './carry-events.ts'
import { completion, nextItem } from './event-frames.ts'

export type EventStreamParts = {
  readonly peer: EventPeer
  readonly caller: Caller
  /** Calls the action when the caller's token ends, and returns the function that cancels it. */
  readonly onTokenEnd: (action: (reason: TokenEndReason) => void) => () => void
  /** Begins the operation. What it is given is called when the source fails. */
  readonly start: (onFailure: () => void) => Promise<OperationResults>
  readonly formatError: ErrorFormatter
  readonly logger: Logger
  readonly clock: () => Date
}

/**
 * Milliseconds between the last event and the end: the official client does not notice the end of a stream that comes while
 * it is still busy with an event.
 */
const PAUSE_MS = 100

/**
 * Tells a peer the answers of one operation: the next is made when the last has left. Gives the function that interrupts it.
 * What ends before its time, also with its token, ends with an error and without the event `complete`, so that clients come
 * back for the rest.
 */
export function runEventStream(parts: EventStreamParts): () => void {
  const { peer, caller, onTokenEnd, start, formatError, logger, clock } = parts
  let results: OperationResults | null = null
  let over = false

  const finish = async (last: string) => {
    if (over) return
    over = true
    await results?.return()
    if (await peer.send(last)) await sleep(PAUSE_MS)
    peer.end()
  }
  const interrupt = (error: GraphQLError) =>
    void finish(nextItem({ result: { errors: [formatError(error.toJSON(), error)] }, cursor: null }))

  const run = async () => {
    results = await start(() => interrupt(COME_BACK))
    while (!over) {
      const item = await results.next()
      if (over) break
      if (item.done === true)
        return expired(caller, clock().getTime()) ? interrupt(TOKEN_EXPIRED) : finish(completion())
      await peer.send(nextItem(item.value))
    }
    await results.return()
  }

  const cancel = onTokenEnd((reason) => interrupt(TOKEN_ENDS[reason]))
  void peer.closed.then(() => {
    over = true
    cancel()
    return results?.return()
  })
  run().catch((error: unknown) => {
    logger.error({ err: error }, 'a stream of events failed')
    interrupt(COME_BACK)
  })
  return () => interrupt(COME_BACK)
}
