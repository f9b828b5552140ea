import { LinksDocument, type PaymentPhase } from '../generated/graphql.ts'
import { ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Choices, filterOf, FilterForm, PeriodChip, madeIn, SearchField } from '../pieces/filter-form.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Page, Row } from '../pieces/page.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'

const COLUMNS = ['Reference', 'Requested', 'State', 'Payment', 'Created', 'Expires']

const PHASES: readonly PaymentPhase[] = ['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'EXPIRED']

/** Hosted checkout links, newest first. */
export function Links({ route }: { readonly route: Route }) {
  const { params } = route
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      reference: params.get('q'),
      ...madeIn(params),
      phases: filterOf(params, 'phase', PHASES),
    },
  }
  const answer = useAnswer(LinksDocument, variables, { concerns: ANY_EVENT })

  return (
    <Page title="Links">
      <FilterForm route={route} label="Links" search={<SearchField name="q" label="Exact reference" params={params} />}>
        <PeriodChip label="Created" params={params} />
        <Choices name="phase" label="Phase of the payment" params={params} values={PHASES} />
      </FilterForm>
      <List route={route} what="links" answer={answer} list={answer.data?.paymentLinks} columns={COLUMNS}>
        {({ id, reference, state, requestedAmount, payment, createdAt, expiresAt }) => (
          <Row key={id} href={hrefOf('links', id)} name={reference}>
            <td class="number">
              <Amount of={requestedAmount} />
            </td>
            <td>
              <Status kind="PaymentLinkState" of={state} />
            </td>
            <td>{payment === null ? '–' : <a href={hrefOf('payments', payment.id)}>{payment.statusRaw}</a>}</td>
            <td>
              <Moment at={createdAt} />
            </td>
            <td>
              <Moment at={expiresAt} />
            </td>
          </Row>
        )}
      </List>
    </Page>
  )
}
