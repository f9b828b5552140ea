import { describeReadFailure } from '../error-formatter.ts'
import type { AccountBalanceFailureResolvers } from '../generated.ts'

export const AccountBalanceFailure: AccountBalanceFailureResolvers = {
  code: ({ failure }) => describeReadFailure(failure).code,
  message: ({ failure }) => describeReadFailure(failure).message,
}
