import { execute, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { within } from '../within.ts'

/** Runs a query or a mutation for the transports that do not go through Apollo Server, for `timeoutMs` at most. */
export async function executeInTime(args: ExecutionArgs, timeoutMs: number): Promise<ExecutionResult> {
  return within(Promise.resolve(execute(args)), timeoutMs, () => ({ errors: [tookTooLong()] }))
}

/** The answer took longer than an operation may. Whether a command was carried out is not known to the client. */
export function tookTooLong(): GraphQLError {
  return new GraphQLError('The answer took too long. What a mutation has begun goes on: ask again with the same key.', {
    extensions: { code: 'OPERATION_TIMEOUT', http: { status: 504 } },
  })
}
