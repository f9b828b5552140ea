import { useMutation } from '@urql/preact'
import { type GatewayPaymentStatusInput, SettleGatewayPaymentDocument } from '../generated/graphql.ts'
import { documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Needs } from '../pieces/page.tsx'
import { wordsOf } from '../pieces/values.tsx'

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
export function SettlePayment({ payment: { id, version, status, unanswered, contradictedBy }, onDone }: Props) {
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
