import { GatewayPaymentNowDocument } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { History } from '../pieces/history.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Fact, Facts, Page, Waiting } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { concernsGatewayPayments, Marks } from './gateway-payments.tsx'

/** One gateway payment: its facts and its history. */
export function GatewayPayment({ id }: { readonly id: string }) {
  const answer = useAnswer(GatewayPaymentNowDocument, { id }, { concerns: concernsGatewayPayments })
  const payment = answer.data?.gatewayPayment ?? null
  return (
    <Page title={`Gateway payment ${payment?.reference ?? id}`} in="gateway-payments">
      <AnswerFailure of={answer} />
      {payment === null ? (
        <Waiting of={answer} what={`gateway payments with the id ${id}`} />
      ) : (
        <>
          <section aria-labelledby="facts">
            <h2 id="facts">Details</h2>
            <Facts>
              <Fact name="Status">
                <Status kind="GatewayPaymentStatus" of={payment.status} />
                {payment.status === 'UNRECOGNISED' && ` ${payment.statusRaw}`}
                <Marks of={payment} />
              </Fact>
              {payment.contradictedBy !== null && <Fact name="Contradicted by">{payment.contradictedBy}</Fact>}
              <Fact name="Amount">
                <Amount of={payment.amount} />
              </Fact>
              <Fact name="Description">{payment.description}</Fact>
              <Fact name="Account">{payment.site}</Fact>
              <Fact name="Id">
                <code>{payment.id}</code>
              </Fact>
              <Fact name="Created">
                <Moment at={payment.createdAt} />
              </Fact>
              <Fact name="Updated">
                <Moment at={payment.updatedAt} />
              </Fact>
            </Facts>
          </section>
          <History events={payment.events?.nodes ?? []} isWhole={payment.events?.pageInfo.hasNextPage === false} />
        </>
      )}
    </Page>
  )
}
