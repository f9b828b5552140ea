import type { FeedEvent } from '../feed/log-changes.ts'
import { RecordedPayoutsDocument, type PayoutStatusInput } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Choices, chosenOf, FilterForm, InstantField, instantOf, SearchField } from '../pieces/filter-form.tsx'
import { Page, Waiting, Pager, Row, Table } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const PAGE = 20
const COLUMNS = ['Payout', 'Amount', 'Status', 'What for', 'Account', 'Changed']

const STATUSES: readonly PayoutStatusInput[] = ['CREATED', 'PROCESSING', 'SCHEDULED', 'COMPLETED', 'EXPIRED']

/** Returns whether an event is about a payout. */
export const concernsPayouts = ({ kind }: FeedEvent): boolean => kind.startsWith('PAYOUT_')

/** Payouts that were made through the subgraph, newest first. */
export function Payouts({ route }: { readonly route: Route }) {
  const { params } = route
  const statuses = chosenOf(params, 'status', STATUSES)
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      reference: params.get('q'),
      statuses: statuses.length === 0 ? null : statuses,
      createdFrom: instantOf(params, 'from'),
      createdBefore: instantOf(params, 'before'),
    },
  }
  const answer = useAnswer(RecordedPayoutsDocument, variables, { concerns: concernsPayouts })
  const list = answer.data?.recordedPayouts
  const rows = list?.nodes ?? []

  return (
    <Page title="Payouts">
      <FilterForm route={route} label="Payouts">
        <SearchField name="q" label="Reference" params={params} />
        <InstantField name="from" label="Made from" params={params} />
        <InstantField name="before" label="Made before" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <AnswerFailure of={answer} />
      {rows.length === 0 ? (
        <Waiting of={answer} what="payouts" />
      ) : (
        <Table caption="Payouts" columns={COLUMNS}>
          {rows.map(({ id, externalId, status, description, totalAmount, site, updatedAt }) => (
            <Row key={id} href={hrefOf('payouts', id)} name={externalId ?? id}>
              <td class="number">
                <Amount of={totalAmount} />
              </td>
              <td>
                <Status of={status} />
              </td>
              <td>{description ?? '–'}</td>
              <td>{site ?? '–'}</td>
              <td>{updatedAt === null ? '–' : <Moment at={updatedAt} />}</td>
            </Row>
          ))}
        </Table>
      )}
      {list !== undefined && list !== null && <Pager route={route} page={list.pageInfo} />}
    </Page>
  )
}
