import { GatewayPaymentsDocument, type GatewayPaymentStatusInput } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, MadeFields, madeIn, SearchField } from '../pieces/filter-form.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Page, Row } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { concernsGatewayPayments } from './concerns.ts'
import { Unanswered } from './unanswered.tsx'

const COLUMNS = ['Order', 'Amount', 'Status', 'What for', 'Changed']

const STATUSES: readonly GatewayPaymentStatusInput[] = ['CREATED', 'PENDING', 'RECEIVED', 'FAILED', 'EXPIRED']

/** Payments on the hosted gateway that were started through the subgraph, newest first. */
export function GatewayPayments({ route }: { readonly route: Route }) {
  const { params } = route
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      orderId: params.get('q'),
      statuses: filterOf(params, 'status', STATUSES),
      ...madeIn(params),
    },
  }
  const answer = useAnswer(GatewayPaymentsDocument, variables, { concerns: concernsGatewayPayments })

  return (
    <Page title="Gateway payments">
      <FilterForm route={route} label="Gateway payments">
        <SearchField name="q" label="Order" params={params} />
        <MadeFields params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <Unanswered />
      <List route={route} what="gateway payments" answer={answer} list={answer.data?.gatewayPayments} columns={COLUMNS}>
        {({ id, orderId, status, provisional, description, amount, updatedAt }) => (
          <Row key={id} href={hrefOf('gateway-payments', id)} name={orderId ?? id}>
            <td class="number">{amount === null ? '–' : <Amount of={amount} />}</td>
            <td>
              <Status of={status} />
              {provisional && ' (in doubt)'}
            </td>
            <td>{description ?? '–'}</td>
            <td>
              <Moment at={updatedAt} />
            </td>
          </Row>
        )}
      </List>
    </Page>
  )
}
