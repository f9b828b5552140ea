import { useMutation } from '@urql/preact'
import {
  GatewayPaymentNowDocument,
  type GatewayPaymentStatusInput,
  SettleGatewayPaymentDocument,
} from '../generated/graphql.ts'
import { AnswerFailure, useAnswer, documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { History } from '../pieces/history.tsx'
import { Fact, Facts, Page, Waiting, Needs } from '../pieces/page.tsx'
import { Amount, Moment, Status, wordsOf } from '../pieces/values.tsx'
import { concernsGatewayPayments } from './gateway-payments.tsx'

/** One gateway payment: its facts and its history. */
export function GatewayPayment({ id }: { readonly id: string }) {
  const answer = useAnswer(GatewayPaymentNowDocument, { id }, { concerns: concernsGatewayPayments })
  const payment = answer.data?.gatewayPayment ?? null
  return (
    <Page title={`Gateway payment ${payment?.orderId ?? id}`}>
      <AnswerFailure of={answer} />
      {payment === null ? (
        <Waiting of={answer} what={`gateway payments with the id ${id}`} />
      ) : (
        <>
          <section aria-labelledby="facts">
            <h2 id="facts">Facts</h2>
            <Facts>
              <Fact name="Status">
                <Status of={payment.status} />
                {payment.status === 'UNRECOGNISED' && ` ${payment.statusRaw}`}
                {payment.provisional && ' (in doubt)'}
              </Fact>
              <Fact name="Amount">{payment.amount && <Amount of={payment.amount} />}</Fact>
              <Fact name="What for">{payment.description}</Fact>
              <Fact name="Account">{payment.site}</Fact>
              <Fact name="Id">
                <code>{payment.id}</code>
              </Fact>
              <Fact name="Made">
                <Moment at={payment.createdAt} />
              </Fact>
              <Fact name="Changed">
                <Moment at={payment.updatedAt} />
              </Fact>
              {payment.settledBy !== null && <Fact name="Settled by">{payment.settledBy}</Fact>}
            </Facts>
          </section>
          {payment.provisional && <SettlePayment payment={payment} onDone={answer.askAgain} />}
          <History events={payment.events?.nodes ?? []} isWhole={payment.events?.pageInfo.hasNextPage === false} />
        </>
      )}
    </Page>
  )
}

const STATUSES: readonly GatewayPaymentStatusInput[] = [
  'CREATED',
  'PENDING',
  'AUTHORISED',
  'WAITING',
  'RECEIVED',
  'EXPIRED',
  'FAILED',
  'RETURN_PENDING',
  'RETURN_EXPIRED',
  'RETURN_REJECTED',
  'PARTIALLY_REFUNDED',
  'RETURN_RECEIVED',
  'IN_DISPUTE',
  'DISPUTE_LOST',
]

type Props = {
  readonly payment: {
    readonly id: string
    readonly version: number
    readonly status: string
    readonly unanswered: boolean
    readonly contradictedBy: string | null
  }
  readonly onDone: () => void
}

/** Records the status of a provisional payment, as the payments API's own pages show it. */
function SettlePayment({ payment: { id, version, status, unanswered, contradictedBy }, onDone }: Props) {
  const [{ error, data }, execute] = useMutation(documentOf(SettleGatewayPaymentDocument))
  const [isBusy, settle] = useSingle(async (form: HTMLFormElement) => {
    const chosen = new FormData(form).get('status') as GatewayPaymentStatusInput
    await execute({ input: { paymentId: id, version, status: chosen } })
    onDone()
  })
  const result = data?.settleGatewayPayment
  return (
    <section class="notice" aria-labelledby="settle">
      <h2 id="settle">In doubt</h2>
      <p>
        {unanswered && 'Its creation got no answer, so amount and description are those of the request. '}
        {contradictedBy !== null && `A callback also said ${contradictedBy}. `}
        Look it up in the payments API’s own pages, and record what they show.
      </p>
      <Needs scopes={['payments:reconcile']} what="Settling">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            settle(event.currentTarget)
          }}
        >
          <label>
            Status there
            <select name="status" defaultValue={status}>
              {STATUSES.map((value) => (
                <option key={value} value={value}>
                  {wordsOf(value)}
                </option>
              ))}
            </select>
          </label>{' '}
          <button disabled={isBusy}>Record this status</button>
        </form>
      </Needs>
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </section>
  )
}
