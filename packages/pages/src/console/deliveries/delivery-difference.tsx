import type { DeliveryNowQuery } from '../generated/graphql.ts'
import { Table } from '../pieces/page.tsx'
import { amountText, type AmountValue } from '../pieces/values.tsx'

type DeliveryNow = NonNullable<DeliveryNowQuery['webhookDelivery']>
type Line = { readonly field: string; readonly left: string | null; readonly right: string | null }

/** What a delivery changed, or, if it changed nothing, where it differs from the record. */
export function DeliveryDifference({ of: delivery }: { readonly of: DeliveryNow }) {
  const { event } = delivery
  const isChange = event !== null
  const lines = event === null ? differencesOf(delivery) : changesOf(event)
  if (lines.length === 0) return null
  const title = isChange ? 'What it changed' : 'Difference from the record'
  const columns = isChange ? ['Field', 'Before', 'After'] : ['Field', 'Received', 'On record now']
  return (
    <section aria-labelledby="difference">
      <h2 id="difference">{title}</h2>
      <Table caption={title} columns={columns}>
        {lines.map(({ field, left, right }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{left ?? '–'}</td>
            <td>{left === right ? <>{right ?? '–'}</> : <strong class="tone look">{right ?? '–'}</strong>}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

const FIELDS = [
  ['Amount', 'amount'],
  ['With fees', 'total'],
  ['Paid', 'paid'],
  ['Refunded', 'refunded'],
] as const

function changesOf({ fromStatus, toStatus, before, after }: NonNullable<DeliveryNow['event']>): Line[] {
  const amounts = FIELDS.map(([field, name]) => ({
    field,
    left: textOf(before?.[name] ?? null),
    right: textOf(after?.[name] ?? null),
  }))
  return [{ field: 'Status', left: fromStatus, right: toStatus }, ...amounts].filter(isKnown)
}

/** The fields of a payment's body, by the names of the payments API. */
const BODY_FIELDS = [
  ['Amount', 'amount', 'amount'],
  ['With fees', 'total', 'total'],
  ['Paid', 'paid_amount', 'paid'],
] as const

function differencesOf({ statusRaw, body, payment, agreement, payout, gatewayPayment }: DeliveryNow): Line[] {
  const subject = payment ?? agreement ?? payout ?? gatewayPayment
  if (subject === null) return []
  const received = fieldsOf(body ?? null)
  const amounts =
    payment === null
      ? []
      : BODY_FIELDS.flatMap(([field, name, own]) => {
          const value = received[name]
          if (typeof value !== 'string' && typeof value !== 'number') return []
          const isDecimal = /^\d+(?:\.\d+)?$/.test(`${value}`)
          const left = isDecimal ? amountText({ ...payment.amount, value: `${value}` }) : `${value}`
          return [{ field, left, right: textOf(payment[own]) }]
        })
  return [{ field: 'Status', left: statusRaw, right: subject.statusRaw }, ...amounts]
}

/** Returns the fields of a stored body, which the payments API may nest; none when it is not readable. */
function fieldsOf(body: string | null): Readonly<Record<string, unknown>> {
  try {
    const json = JSON.parse(body ?? '{}') as Record<string, unknown>
    return (json['transaction_info'] ?? json) as Record<string, unknown>
  } catch {
    return {}
  }
}

function textOf(amount: AmountValue | null): string | null {
  return amount === null ? null : amountText(amount)
}

function isKnown({ left, right }: Line): boolean {
  return left !== null || right !== null
}
