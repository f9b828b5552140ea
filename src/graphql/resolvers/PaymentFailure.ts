import { hasScope } from '../../access/caller.ts'
import { describeFailure } from '../../domain/payments/failures/describe-failure.ts'
import type { Context } from '../context.ts'
import type { PaymentFailureResolvers } from '../generated.ts'
import type { FailureView } from '../models.ts'

export const PaymentFailure: PaymentFailureResolvers = {
  code: (failure, _args, context) => describe(failure, context).code,
  category: (failure, _args, context) => describe(failure, context).category,
  retry: (failure, _args, context) => describe(failure, context).retry,
  retryNotBefore: (failure, _args, context) => describe(failure, context).retryNotBefore,
  customerMessage: (failure, { locale }, context) => describe(failure, context).customerMessage(locale ?? null),
}

function describe({ codeRaw, failedAt }: FailureView, { caller }: Context) {
  return describeFailure({ codeRaw, failedAt, maySeeRisk: hasScope(caller, 'payments:risk') })
}
