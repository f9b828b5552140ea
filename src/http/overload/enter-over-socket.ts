import type { Caller } from '../../access/caller.ts'
import { describeOperation, type DescribeOptions, type OperationText } from './describe-operation.ts'
import { clientKey, type Overload, type QueueName } from './overload.ts'

const QUEUES: Readonly<Record<OperationText['kind'], QueueName>> = {
  query: 'queries',
  mutation: 'commands',
  subscription: 'streams',
}

/** An operation of a socket, and its peer's name. */
export type ArrivedOperation = { readonly text: string; readonly caller: Caller; readonly peer: string }

/**
 * Queues an operation of a socket. `start` is called when it may begin, with the function that marks it as ended (for a stream: as
 * begun). Returns the function that removes it from the queue; null if it has begun.
 */
export function enterOverSocket(
  options: DescribeOptions & { readonly overload: Overload },
  { text, caller, peer }: ArrivedOperation,
  { start, refuse }: { readonly start: (release: () => void) => void; readonly refuse: () => void },
): (() => void) | null {
  const { kind, mustAnswer } = describeOperation(options, text, caller)
  return options.overload.enter(QUEUES[kind], {
    client: clientKey(caller, () => peer),
    bytes: text.length,
    mustAnswer,
    start(release) {
      if (kind === 'subscription') release()
      start(release)
    },
    refuse,
  })
}
