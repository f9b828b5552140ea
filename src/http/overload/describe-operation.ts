import type { Caller } from '../../access/caller.ts'
import type { Entry } from './admission-queue.ts'
import type { CommandName, OperationText, OperationTextReader } from './operation-text.ts'

export type DescribeOptions = {
  readonly readOperation: OperationTextReader
  /** Whether one of these commands is on record for the caller: then it must be answered, and not refused. */
  readonly isRecorded: (commands: readonly CommandName[], caller: Caller) => Promise<boolean>
}

export type DescribedOperation = Pick<Entry, 'mustAnswer'> & Pick<OperationText, 'kind'>

/** What the queues need to know of an operation that has not been parsed. */
export function describeOperation(
  { readOperation, isRecorded }: DescribeOptions,
  text: string,
  caller: Caller,
): DescribedOperation {
  const { kind, commands } = readOperation(text)
  // Without a token there is no mutation, whatever the text says.
  if (kind === 'mutation' && caller.kind === 'anonymous') return { kind: 'query', mustAnswer: undefined }
  return { kind, mustAnswer: commands.length > 0 ? () => isRecorded(commands, caller) : undefined }
}
