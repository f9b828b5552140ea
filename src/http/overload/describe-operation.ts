import type { Caller } from '../../access/caller.ts'
import type { Entry } from './admission-queue.ts'
import { clientKey } from './client-key.ts'
import type { CommandName, OperationText, OperationTextReader } from './operation-text.ts'

export type DescribeOptions = {
  readonly readOperation: OperationTextReader
  /** Whether one of these commands is on record for the caller: then it must be answered, and not refused. */
  readonly isRecorded: (commands: readonly CommandName[], caller: Caller) => Promise<boolean>
}

export type ArrivedOperation = {
  readonly text: string
  readonly caller: Caller
  /** Of the client; null where it is nobody's. */
  readonly address: string | null
  /** Tells connections of one proxy apart. */
  readonly connection: string
}

export type DescribedOperation = Pick<Entry, 'client' | 'bytes' | 'mustAnswer'> & {
  readonly kind: OperationText['kind']
}

/** What the queues need to know of an operation that has not been parsed. */
export function describeOperation(
  { readOperation, isRecorded }: DescribeOptions,
  { text, caller, address, connection }: ArrivedOperation,
): DescribedOperation {
  const { kind, commands } = readOperation(text)
  // Without a token there is no mutation, whatever the text says.
  const isPretended = kind === 'mutation' && caller.kind === 'anonymous'
  return {
    kind: isPretended ? 'query' : kind,
    client: clientKey(caller, address, connection),
    bytes: text.length,
    ...(commands.length > 0 && !isPretended ? { mustAnswer: () => isRecorded(commands, caller) } : {}),
  }
}
