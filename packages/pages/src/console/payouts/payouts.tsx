import type { FeedEvent } from '../feed/log-changes.ts'
import { RecordedPayoutsDocument, type PayoutStatusInput } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, PeriodChip, madeIn, SearchField } from '../pieces/filter-form.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Row } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const COLUMNS = ['Payout', 'Amount', 'Status', 'Description', 'Account', 'Updated']

const STATUSES: readonly PayoutStatusInput[] = ['CREATED', 'PROCESSING', 'SCHEDULED', 'COMPLETED', 'EXPIRED']

/** Returns whether an event is about a payout. */
export const concernsPayouts = ({ kind }: FeedEvent): boolean => kind.startsWith('PAYOUT_')

/** Payouts that were made through the subgraph, newest first. */
export function Payouts({ route }: { readonly route: Route }) {
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
  const answer = useAnswer(RecordedPayoutsDocument, variables, { concerns: concernsPayouts })

  return (
    <Page title="Payouts">
      <FilterForm route={route} label="Payouts" search={<SearchField name="q" label="Reference" params={params} />}>
        <PeriodChip label="Created" params={params} />
        <Choices name="status" label="Status" params={params} values={STATUSES} />
      </FilterForm>
      <List route={route} what="payouts" answer={answer} list={answer.data?.recordedPayouts} columns={COLUMNS}>
        {({ id, reference, status, description, totalAmount, site, updatedAt }) => (
          <Row key={id} href={hrefOf('payouts', id)} name={reference ?? id}>
            <td class="number">
              <Amount of={totalAmount} />
            </td>
            <td>
              <Status kind="PayoutStatus" of={status} />
            </td>
            <td>{description ?? '–'}</td>
            <td>{site ?? '–'}</td>
            <td>{updatedAt === null ? '–' : <Moment at={updatedAt} />}</td>
          </Row>
        )}
      </List>
    </Page>
  )
}
