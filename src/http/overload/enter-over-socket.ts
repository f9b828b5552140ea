import { describeOperation, type ArrivedOperation, type DescribeOptions } from './describe-operation.ts'
import type { OperationText } from './operation-text.ts'
import type { Overload, QueueName } from './overload.ts'

const QUEUES: Readonly<Record<OperationText['kind'], QueueName>> = {
  query: 'queries',
  mutation: 'commands',
  subscription: 'streams',
}

/**
 * Enters an operation of a socket into the queue of its kind. `start` is called when it may begin, with the function that counts
 * it as ended: a stream counts only until it begins. Returns the function that takes it out of the queue.
 */
export function enterOverSocket(
  options: DescribeOptions & { readonly overload: Overload },
  arrived: ArrivedOperation,
  { start, refuse }: { readonly start: (release: () => void) => void; readonly refuse: () => void },
): () => void {
  const { kind, ...described } = describeOperation(options, arrived)
  return options.overload.enter(QUEUES[kind], {
    ...described,
    start(release) {
      if (kind === 'subscription') release()
      start(release)
    },
    refuse,
  })
}
