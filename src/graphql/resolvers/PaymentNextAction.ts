import { nextActionLabel } from '../../domain/payments/next-action.ts'
import type { PaymentNextActionResolvers } from '../generated.ts'

export const PaymentNextAction: PaymentNextActionResolvers = {
  label: (action, { locale }) => nextActionLabel(action.kind, locale ?? null),
}
