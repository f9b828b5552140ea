import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'
import { clientKey, peerKey } from './client-key.ts'
import { describeOperation, type DescribeOptions } from './describe-operation.ts'
import type { OperationText } from './operation-text.ts'
import type { Overload, QueueName } from './overload.ts'

export type EnterOverSocketOptions = DescribeOptions & {
  readonly overload: Overload
  /** Whose connection it is; null for one that is nobody's. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly callerOf: () => Caller
  /** The upgrade request of the socket. */
  readonly request: IncomingMessage
}

const QUEUES: Readonly<Record<OperationText['kind'], QueueName>> = {
  query: 'queries',
  mutation: 'commands',
  subscription: 'streams',
}

/**
 * Gives the function by which operations of one socket enter the queues. It resolves when an operation may begin, with the
 * function that counts it as ended, or with null when it is refused. A stream counts only until it begins.
 */
export function enterOverSocket(options: EnterOverSocketOptions) {
  const { overload, callerOf, request } = options
  const peer = peerKey(options.addressOf(request), request)
  return (text: string, signal: AbortSignal): Promise<(() => void) | null> => {
    const caller = callerOf()
    const { kind, mustAnswer } = describeOperation(options, text, caller)
    const { promise, resolve } = Promise.withResolvers<(() => void) | null>()
    const cancel = overload.enter(QUEUES[kind], {
      client: clientKey(caller, () => peer),
      bytes: text.length,
      mustAnswer,
      start(release) {
        if (kind === 'subscription') release()
        resolve(release)
      },
      refuse: () => resolve(null),
    })
    const abort = () => {
      cancel?.()
      resolve(null)
    }
    signal.addEventListener('abort', abort)
    return promise.finally(() => signal.removeEventListener('abort', abort))
  }
}
