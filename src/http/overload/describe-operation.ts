import type { Caller } from '../../access/caller.ts'
import type { Entry } from './admission-queue.ts'
import type { CommandName, OperationText, OperationTextReader } from './operation-text.ts'

export type DescribeOptions = {
  readonly readOperation: OperationTextReader
  /** Whether one of these commands has an idempotency record of the caller: then it must not be refused. */
  readonly isRecorded: (commands: readonly CommandName[], caller: Caller) => Promise<boolean>
}

export type DescribedOperation = Pick<Entry, 'mustAnswer'> & Pick<OperationText, 'kind'>

/** What the queues need to know about an operation that has not been parsed. */
export function describeOperation(
  { readOperation, isRecorded }: DescribeOptions,
  text: string,
  caller: Caller,
): DescribedOperation {
  const { kind, commands } = readOperation(text)
  // Without a token every mutation is denied, so the request counts as a query.
  if (kind === 'mutation' && caller.kind === 'anonymous') return { kind: 'query', mustAnswer: undefined }
  return { kind, mustAnswer: commands.length > 0 ? () => isRecorded(commands, caller) : undefined }
}
