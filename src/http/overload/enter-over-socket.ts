import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'
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
  const connection = `${request.socket.remoteAddress ?? ''} ${request.socket.remotePort ?? ''}`
  const address = options.addressOf(request)
  return (text: string, signal: AbortSignal): Promise<(() => void) | null> => {
    const { kind, ...described } = describeOperation(options, { text, caller: callerOf(), address, connection })
    const { promise, resolve } = Promise.withResolvers<(() => void) | null>()
    const cancel = overload.enter(QUEUES[kind], {
      ...described,
      start(release) {
        if (kind === 'subscription') release()
        resolve(release)
      },
      refuse: () => resolve(null),
    })
    const abort = () => {
      cancel()
      resolve(null)
    }
    signal.addEventListener('abort', abort)
    return promise.finally(() => signal.removeEventListener('abort', abort))
  }
}
