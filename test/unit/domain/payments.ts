import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { evolve, type Payment, type PaymentChange } from '../../../src/domain/payments/payment.ts'
import { present, report } from '../../store/contract/builders.ts'

const NEW_PAYMENT = { id: 'PAY1', streamId: 'link:a', linkRef: 'a' }
const AT = '2030-01-02T03:04:05.678Z'

/** Returns a payment after a change, which gets the next sequence number of its stream. */
export function changed(state: Payment | null, change: PaymentChange, provisional = false): Payment {
  return evolve(state ?? NEW_PAYMENT, change, { sequence: (state?.version ?? 0) + 1, at: AT, provisional })
}

/** Returns a payment whose events reported these statuses, in order. */
export function given(...history: readonly (string | PaymentReport)[]): Payment {
  const reports = history.map((said) => (typeof said === 'string' ? report(said) : said))
  return present(
    reports.reduce<Payment | null>(
      (state, { statusRaw, status, details }) =>
        changed(state, { kind: 'PAYMENT_STATUS_CHANGED', statusRaw, status, details }),
      null,
    ),
  )
}
