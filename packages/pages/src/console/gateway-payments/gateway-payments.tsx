import { useMutation } from '@urql/preact'
import type { FeedEvent } from '../feed/log-changes.ts'
import {
  type GatewayPaymentCreationOutcome,
  GatewayPaymentsDocument,
  type GatewayPaymentStatusInput,
  SettleGatewayPaymentCreationDocument,
  UnansweredGatewayPaymentsDocument,
  type UnansweredGatewayPaymentsQuery,
} from '../generated/graphql.ts'
import { useAnswer, documentOf, FailureNotice, RequestFailure, useSingle } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, PeriodChip, madeIn, SearchField } from '../pieces/filter-form.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Row, Needs } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const COLUMNS = ['Order', 'Amount', 'Status', 'Description', 'Updated']

const STATUSES: readonly GatewayPaymentStatusInput[] = ['CREATED', 'PENDING', 'RECEIVED', 'FAILED', 'EXPIRED']

/** Payments on the hosted gateway that were started through the subgraph, newest first. */
export function GatewayPayments({ route }: { readonly route: Route }) {
  const { params } = route
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      reference: params.get('q'),
      statuses: filterOf(params, 'status', STATUSES),
      ...madeIn(params),
    },
  }
  const answer = useAnswer(GatewayPaymentsDocument, variables, { concerns: concernsGatewayPayments })

  return (
    <Page title="Gateway payments">
      <FilterForm
        route={route}
        label="Gateway payments"
        search={<SearchField name="q" label="Order" params={params} />}
      >
        <PeriodChip label="Created" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <Unanswered />
      <List route={route} what="gateway payments" answer={answer} list={answer.data?.gatewayPayments} columns={COLUMNS}>
        {(payment) => (
          <Row key={payment.id} href={hrefOf('gateway-payments', payment.id)} name={payment.reference}>
            <td class="number">
              <Amount of={payment.amount} />
            </td>
            <td>
              <Status kind="GatewayPaymentStatus" of={payment.status} />
              <Marks of={payment} />
            </td>
            <td>{payment.description}</td>
            <td>
              <Moment at={payment.updatedAt} />
            </td>
          </Row>
        )}
      </List>
    </Page>
  )
}

type Marked = { readonly provisional: boolean; readonly overrulesOperator: boolean }

/** What the status alone does not show. */
export function Marks({ of: { provisional, overrulesOperator } }: { readonly of: Marked }) {
  return (
    <>
      {provisional && ' (in doubt)'}
      {overrulesOperator && ' (overrules an operator)'}
    </>
  )
}

const SHOWN = 20

type Creation = NonNullable<UnansweredGatewayPaymentsQuery['unansweredGatewayPayments']>[number]

/** The creations of which no answer came; nothing while there are none. */
function Unanswered() {
  const answer = useAnswer(UnansweredGatewayPaymentsDocument, { first: SHOWN }, { concerns: concernsGatewayPayments })
  const waiting = answer.data?.unansweredGatewayPayments ?? []
  if (waiting.length === 0) return null
  return (
    <section class="note-block over" aria-labelledby="unanswered">
      <h2 id="unanswered">Unanswered requests</h2>
      <p>
        These payments were requested, and neither an answer nor a callback came. Look each up in the payments API’s
        dashboard by its order, and record whether it is there.
        {waiting.length === SHOWN && ` The oldest ${SHOWN} are shown.`}
      </p>
      <Needs scopes={['payments:reconcile']} what="Outcome">
        {null}
      </Needs>
      <ul>
        {waiting.map((creation) => (
          <li key={creation.operationId}>
            <Settle creation={creation} onDone={answer.askAgain} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Settle({ creation, onDone }: { readonly creation: Creation; readonly onDone: () => void }) {
  const { operationId, reference, description, amount, requestedAt } = creation
  const [{ error, data }, execute] = useMutation(documentOf(SettleGatewayPaymentCreationDocument))
  const [isBusy, settle] = useSingle(async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const outcome = fields.get('outcome') as GatewayPaymentCreationOutcome
    const paymentId = outcome === 'CREATED' ? (fields.get('payment') as string).trim() : null
    await execute({ input: { operationId, outcome, paymentId } })
    onDone()
  })
  const result = data?.settleGatewayPaymentCreation
  return (
    <form
      aria-label={`Order ${reference}`}
      onSubmit={(event) => {
        event.preventDefault()
        settle(event.currentTarget)
      }}
    >
      <p>
        {reference}, <Amount of={amount} />, {description}, sent <Moment at={requestedAt} />
      </p>
      <fieldset>
        <legend>In the payments API</legend>
        <label class="check">
          <input type="radio" name="outcome" value="CREATED" required /> It exists
        </label>
        <label>
          with the id
          <input class="input" name="payment" inputMode="numeric" autocomplete="off" />
        </label>
        <label class="check">
          <input type="radio" name="outcome" value="NOT_CREATED" required /> It does not exist: its key may be used
          again
        </label>
      </fieldset>
      <button class="button" disabled={isBusy}>
        Record
      </button>
      <RequestFailure error={error} />
      {result !== undefined && result !== null && 'code' in result && <FailureNotice failure={result} />}
    </form>
  )
}

/** Returns whether an event is about a gateway payment. */
export const concernsGatewayPayments = ({ kind }: FeedEvent): boolean => kind.startsWith('GATEWAY_PAYMENT_')
