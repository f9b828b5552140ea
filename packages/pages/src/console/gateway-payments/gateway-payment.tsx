import { GatewayPaymentNowDocument } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Banner } from '../pieces/page.tsx'
import { Subject } from '../pieces/subject.tsx'
import { Id } from '../pieces/values.tsx'
import { concernsGatewayPayments, Marks } from './gateway-payments.tsx'

/** One gateway payment: its facts and its history. */
export function GatewayPayment({ id }: { readonly id: string }) {
  const answer = useAnswer(GatewayPaymentNowDocument, { id }, { concerns: concernsGatewayPayments })
  const payment = answer.data?.gatewayPayment ?? null
  return (
    <Subject
      in="gateway-payments"
      what="Gateway payment"
      id={id}
      answer={answer}
      kind="GatewayPaymentStatus"
      shown={
        payment && {
          ...payment,
          name: payment.reference,
          about: [payment.description],
          mark: <Marks of={payment} />,
          parts: {
            Payment: { Site: payment.site, Changed: <Moment at={payment.updatedAt} /> },
            Ids: {
              Payment: <Id of={payment.id} what="payment id" />,
              Order: <Id of={payment.reference} what="order" />,
              Status: <code>{payment.statusRaw}</code>,
              Created: <Moment at={payment.createdAt} isExact />,
            },
          },
        }
      }
      banners={
        payment?.contradictedBy != null && (
          <Banner tone="look" glyph="doubt" title="The status is contradicted">
            <p>A later report says {payment.contradictedBy}. Compare it with the provider’s dashboard.</p>
          </Banner>
        )
      }
    />
  )
}
