import type { DeliveryRowFragment } from '../generated/graphql.ts'
import { hrefOf, type ViewName } from '../routes/route.ts'

export type Subject = {
  readonly kind: string
  /** What the kinds of its events begin with. */
  readonly prefix: string
  readonly view: ViewName
  readonly id: string
  readonly name: string
}

/** Returns what a delivery is about, with the name that people know it by; null where that is not on record. */
export function subjectOf({ payment, agreement, payout, gatewayPayment }: DeliveryRowFragment): Subject | null {
  if (payment !== null)
    return named('Payment', 'payments', payment.id, payment.reference ?? payment.link?.reference ?? null)
  if (agreement !== null) return named('Agreement', 'agreements', agreement.id, agreement.clientTransactionId)
  if (payout !== null) return named('Payout', 'payouts', payout.id, payout.reference)
  if (gatewayPayment !== null)
    return named('Gateway payment', 'gateway-payments', gatewayPayment.id, gatewayPayment.reference)
  return null
}

function named(kind: string, view: ViewName, id: string, name: string | null): Subject {
  return { kind, prefix: `${kind.toUpperCase().replace(' ', '_')}_`, view, id, name: name ?? id }
}

/** The subject of a delivery as a link with its name, and its kind and id. */
export function DeliverySubject({ of: delivery }: { readonly of: DeliveryRowFragment }) {
  const subject = subjectOf(delivery)
  if (subject === null) return <>{delivery.subjectId ?? '–'}</>
  const { kind, view, id, name } = subject
  return (
    <span class="two-line">
      <a href={hrefOf(view, id)}>{name}</a>
      <span class="faint">
        {kind}
        {name !== id && ` ${id}`}
      </span>
    </span>
  )
}
