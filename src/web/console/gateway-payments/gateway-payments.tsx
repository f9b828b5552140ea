import { GatewayPaymentsDocument, type GatewayPaymentStatusInput } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, FilterForm, InstantField, instantOf, SearchField } from '../pieces/filter-form.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { concernsGatewayPayments } from './concerns.ts'
import { Unanswered } from './unanswered.tsx'

const PAGE = 20
const COLUMNS = ['Order', 'Amount', 'Status', 'What for', 'Changed']

const STATUSES: readonly GatewayPaymentStatusInput[] = ['CREATED', 'PENDING', 'RECEIVED', 'FAILED', 'EXPIRED']

/** Payments on the hosted gateway that were started through the subgraph, newest first. */
export function GatewayPayments({ route }: { readonly route: Route }) {
  const { params } = route
  const statuses = chosenOf(params, 'status', STATUSES)
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      orderId: params.get('q'),
      statuses: statuses.length === 0 ? null : statuses,
      createdFrom: instantOf(params, 'from'),
      createdBefore: instantOf(params, 'before'),
    },
  }
  const answer = useAnswer(GatewayPaymentsDocument, variables, { concerns: concernsGatewayPayments })
  const list = answer.data?.gatewayPayments
  const rows = list?.nodes ?? []

  return (
    <Page title="Gateway payments">
      <FilterForm route={route} label="Gateway payments">
        <SearchField name="q" label="Order" params={params} />
        <InstantField name="from" label="Made from" params={params} />
        <InstantField name="before" label="Made before" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <Unanswered />
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="gateway payments" />
      ) : (
        <Table caption="Gateway payments" columns={COLUMNS}>
          {rows.map(({ id, orderId, status, provisional, description, amount, updatedAt }) => (
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
          ))}
        </Table>
      )}
      {list !== undefined && list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}
